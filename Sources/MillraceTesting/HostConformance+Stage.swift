// Where the suite for hosts plays: a window with the host in it, and what went wrong there.

import Millrace

extension HostConformance {
  /// A flow of the suite: it has no state, and hosts show it as they show any other.
  public final class Screen: Flow {
    /// Its scope.
    public let scope: FlowScope<Never>

    /// Makes it.
    public init(scope: FlowScope<Never>) { self.scope = scope }

    @discardableResult
    func open(_ presentation: Presentation) -> Child<Screen> {
      scope.start(as: presentation) { Screen(scope: $0) }
    }
  }

  @MainActor
  final class Stage {
    let part: String
    private(set) var subject: Subject
    private let make: @MainActor () -> Subject
    let window: FlowWindow
    private(set) var failures: [Failure] = []
    private let runtime: FlowRuntime
    private let clock: any Clock<Duration>
    private let patience: Duration

    init(
      _ part: String, _ make: @escaping @MainActor () -> Subject, _ clock: any Clock<Duration>,
      _ patience: Duration
    ) {
      self.part = part
      self.make = make
      subject = make()
      self.clock = clock
      self.patience = patience
      runtime = FlowRuntime(clock: clock, options: RuntimeOptions(hostLimit: patience))
      window = runtime.openWindow(host: subject.host) { _ in Root { Screen(scope: $0) } }
    }

    /// Gives the window another host, and hands back the former one.
    func changeHost() -> Subject {
      let former = subject
      subject = make()
      window.attach(subject.host)
      return former
    }

    /// A host that is parted from shows nothing, once it has done what it was asked.
    func expectEmpty(_ subject: Subject) async {
      if let proceed = subject.proceed { await proceed() }
      if let screens = subject.screens?(), screens != Navigation() {
        failures.append(Failure(part: part, problem: "parted from its window it shows\n\(screens)"))
      }
    }

    var root: Screen? { window.rootFlow as? Screen }

    @discardableResult
    func open(
      _ presentation: Presentation, in slot: Slot<Screen>? = nil, interactively: Bool = false
    ) -> Child<Screen> {
      let scope = root?.scope ?? .preview()
      guard let slot else { return scope.start(as: presentation) { Screen(scope: $0) } }
      return scope.start(in: slot, as: presentation, interactively: interactively) {
        Screen(scope: $0)
      }
    }

    func expect(_ condition: Bool, _ problem: String) {
      if !condition { failures.append(Failure(part: part, problem: problem)) }
    }

    func proceed() async {
      if let proceed = subject.proceed { await proceed() }
    }

    /// Waits for the host, and compares what it shows with what the tree says.
    func expectSettled() async {
      let silences = Silences()
      runtime.addSink(silences)
      let watch = watchGestures()
      await proceed()
      await window.settled()
      watch.cancel()
      runtime.removeSink(silences)
      for silence in silences.told {
        failures.append(Failure(part: part, problem: "\(silence) within \(patience)"))
      }
      expect(root != nil, "it reported the root's end, which nobody had asked for")
      expect(window.isConsistent, "flows and screens differ:\n\(window.navigation)")
      if let screens = subject.screens?(), screens != window.navigation {
        let problem = "it shows\n\(screens)\nwhere the tree says\n\(window.navigation)"
        failures.append(Failure(part: part, problem: problem))
      }
    }

    /// A gesture that nothing waits for may last: here none does, so one that does was forgotten, and
    /// counts as let go for the rest of the part.
    private func watchGestures() -> Task<Void, Never> {
      Task { [clock, patience] in
        while (try? await clock.sleep(for: patience)) != nil {
          guard case .gesture(let id) = window.transition else { continue }
          let problem = "a gesture on \(id) began, and no end of it came within \(patience)"
          failures.append(Failure(part: part, problem: problem))
          window.report(.gestureCancelled(id))
        }
      }
    }
  }

  private final class Silences: TraceSink {
    var told: [String] = []
    func record(_ event: TraceEvent) {
      switch event {
      case .hostTimeout(let command): told.append("no answer to \(command)")
      case .gestureTimeout(let id): told.append("no end of the gesture on \(id)")
      default: break
      }
    }
  }
}
