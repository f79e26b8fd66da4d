// Builds one flow alone and records what it tells: for tests of view models.

import Millrace

/// One flow without an app around it, and all that it has told.
///
/// ```swift
/// let probe = FlowProbe { Picker(scope: $0, books: books) }
/// probe.flow.confirm()
/// #expect(probe.outputs == [.picked(7)])
/// ```
///
/// Outputs that the flow sends in its `start()` arrive in the next main-actor job, all others
/// before the call returns. Releasing the probe ends the flow.
@MainActor
public final class FlowProbe<F: Flow> {
  /// The runtime around the flow, for its counts and refusals.
  public let runtime: FlowRuntime
  /// The flow. After its end too, for tests of what is left in old hands.
  public let flow: F
  /// What it has told, oldest first.
  public var outputs: [F.Output] { record.outputs }
  /// How it ended, or nil while that has not been told.
  public var ending: Ending<F.Output>? { record.ending }

  private let window: FlowWindow
  private let record: Record

  /// What the closures write, so that they do not hold the probe.
  private final class Record {
    var flow: F?
    var outputs: [F.Output] = []
    var ending: Ending<F.Output>?
  }

  /// Starts the flow, as the root of a window.
  ///
  /// - Parameters:
  ///   - clock: the runtime's clock.
  ///   - account: who is signed in; nil for nobody.
  ///   - build: makes the flow, once.
  public init(
    clock: some Clock<Duration> = ContinuousClock(), signedInAs account: Account? = nil,
    _ build: @escaping @MainActor (FlowScope<F.Output>) -> F
  ) {
    let record = Record()
    let runtime = FlowRuntime(clock: clock)
    if let account { runtime.signIn(account) }
    window = runtime.openWindow { _ in
      // A change of session ends the flow; what a new root would tell is not this flow's.
      if record.flow != nil { return Root { After(scope: $0) } }
      return Root(F.self) { scope in
        let flow = build(scope)
        record.flow = flow
        return flow
      } onOutput: {
        record.outputs.append($0)
      } onEnding: {
        record.ending = $0
      }
    }
    guard let flow = record.flow else {
      preconditionFailure("a window builds its root when it is opened")
    }
    self.flow = flow
    self.record = record
    self.runtime = runtime
    record.flow = flow
  }

  /// Ends the flow as dismissed, as when the user takes it away.
  public func dismiss() { window.report(.didDismiss(flow.scope.id)) }

  private final class After: Flow {
    let scope: FlowScope<Never>
    init(scope: FlowScope<Never>) { self.scope = scope }
  }
}
