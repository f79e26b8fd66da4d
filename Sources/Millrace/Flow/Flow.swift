// The protocol of coordinators and view models.

/// A coordinator or a view model: a main-actor object with a scope and typed outputs.
///
/// A flow is made by the closure that is given to `FlowScope.start`, which hands it its scope:
///
/// ```swift
/// @MainActor final class Picker: Flow {
///   enum Output: Sendable { case picked(Int), cancelled }
///   let scope: FlowScope<Output>
///   init(scope: FlowScope<Output>) { self.scope = scope }
///   func pick(_ number: Int) { scope.finish(.picked(number)) }
/// }
/// ```
///
/// The runtime keeps the flow from then until its end has been told, and frees it there.
@MainActor
public protocol Flow: AnyObject {
  /// What it tells its owner. `Never` for a flow that says nothing.
  associatedtype Output: Sendable

  /// The scope that it was made with; through it, and only through it, the flow acts.
  var scope: FlowScope<Output> { get }

  /// Called once, when the flow is in the tree. What it emits here reaches the owner in the next
  /// main-actor job, when the owner has its `Child` (R9).
  func start()

  /// Called once, after the flow has ended: its scope is already inert, work and children are
  /// refused. It may hand a record to the session (`FlowScope.handOver`).
  func willEnd(_ ending: Ending<Output>)
}

extension Flow {
  /// Does nothing.
  public func start() {}
  /// Does nothing.
  public func willEnd(_ ending: Ending<Output>) {}
}
