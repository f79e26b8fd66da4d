// What every host has to keep, as a suite that its author runs against it. Keeps R24 to R28 from
// the host's side: each command is done and answered, and what it shows is what the tree says.

import Millrace

/// Runs a host through all that a window may ask of it.
///
/// ```swift
/// let failures = await HostConformance { window in MyHost() }.run()
/// #expect(failures.isEmpty)
/// ```
///
/// The suite waits for each answer, for as long as `patience` says, on the clock that is given: a
/// host with animations needs a real clock, one in a lab the lab's.
@MainActor
public struct HostConformance {
  /// What the suite needs of a host beside `Host`.
  public struct Subject {
    /// The host.
    public var host: any Host
    /// What it shows, as far as it can be seen from outside; nil if it cannot.
    public var screens: (@MainActor () -> Navigation)?
    /// Lets the user take away the flow, as by a swipe; nil if a test cannot do it.
    public var userDismisses: (@MainActor (FlowID) -> Void)?
    /// Lets the user select the tab; nil if a test cannot do it.
    public var userSelects: (@MainActor (FlowID) -> Void)?
    /// Lets the host get on with its work; nil if it does so by itself.
    public var proceed: (@MainActor () async -> Void)?

    /// Makes a subject.
    public init(
      _ host: any Host, screens: (@MainActor () -> Navigation)? = nil,
      userDismisses: (@MainActor (FlowID) -> Void)? = nil,
      userSelects: (@MainActor (FlowID) -> Void)? = nil,
      proceed: (@MainActor () async -> Void)? = nil
    ) {
      self.host = host
      self.screens = screens
      self.userDismisses = userDismisses
      self.userSelects = userSelects
      self.proceed = proceed
    }
  }

  /// What a host did wrong.
  public struct Failure: Sendable, Equatable, CustomStringConvertible {
    /// The part of the suite.
    public let part: String
    /// What was expected and what was found.
    public let problem: String

    /// Both, on a line.
    public var description: String { "\(part): \(problem)" }
  }

  private let make: @MainActor () -> Subject
  private let clock: any Clock<Duration>
  private let patience: Duration

  /// Makes a suite.
  ///
  /// - Parameters:
  ///   - clock: what the host limit and the patience are measured by.
  ///   - patience: how long one answer may take.
  ///   - make: a new host for each part.
  public init(
    clock: any Clock<Duration> = ContinuousClock(), patience: Duration = .seconds(5),
    _ make: @escaping @MainActor () -> Subject
  ) {
    self.make = make
    self.clock = clock
    self.patience = patience
  }

  /// The names of the parts.
  public static var parts: [String] { all.map(\.name) }

  /// Runs the parts, all of them or those that are named.
  ///
  /// - Returns: what went wrong; empty for a host that conforms.
  public func run(_ names: [String]? = nil) async -> [Failure] {
    var failures: [Failure] = []
    for part in Self.all where names?.contains(part.name) ?? true {
      let stage = Stage(part.name, make, clock, patience)
      await part.body(stage)
      failures += stage.failures
      stage.window.close()
    }
    return failures
  }

  // MARK: - Parts

  private struct Part {
    let name: String
    let body: @MainActor (Stage) async -> Void
  }

  private static let all: [Part] = [
    Part(name: "a root is shown") { await $0.expectSettled() },
    Part(name: "pushes stand in order") { stage in
      for _ in 0..<3 { stage.open(.push) }
      await stage.expectSettled()
    },
    Part(name: "pops take away what is above") { stage in
      let flows = (0..<4).map { _ in stage.open(.push) }
      await stage.expectSettled()
      flows[1].dismiss()
      await stage.expectSettled()
      stage.expect(!flows[3].isCurrent, "what stood above a pop must end")
    },
    Part(name: "a modal over a modal") { stage in
      stage.open(.sheet)
      let cover = stage.open(.cover)
      await stage.expectSettled()
      cover.dismiss()
      await stage.expectSettled()
    },
    Part(name: "a modal that belongs to another comes back") { stage in
      let lower = stage.open(.sheet)
      let upper = stage.open(.sheet)
      await stage.expectSettled()
      lower.dismiss()
      await stage.expectSettled()
      stage.expect(upper.isCurrent, "a modal of another flow must live on")
    },
    Part(name: "pushes in a modal") { stage in
      let sheet = stage.open(.sheet)
      let inner = sheet.flow?.open(.push)
      await stage.expectSettled()
      inner?.dismiss()
      await stage.expectSettled()
    },
    Part(name: "tabs and their stacks") { stage in
      let tabs = (0..<3).map { _ in stage.open(.tab) }
      tabs[1].flow?.open(.push)
      await stage.expectSettled()
      stage.window.navigate(.select(tabs[1].id))
      await stage.expectSettled()
      tabs[1].dismiss()
      await stage.expectSettled()
    },
    Part(name: "the user selects a tab") { stage in
      let tabs = (0..<2).map { _ in stage.open(.tab) }
      await stage.expectSettled()
      guard let select = stage.subject.userSelects else { return }
      select(tabs[1].id)
      await stage.expectSettled()
      let selected = stage.window.navigation.root?.screens.first?.selectedTab
      stage.expect(selected == tabs[1].id, "the selection was not reported")
    },
    Part(name: "a flow takes another's place") { stage in
      for presentation in [Presentation.push, .sheet, .tab] {
        let slot = Slot<HostConformance.Screen>()
        stage.open(presentation, in: slot)
        await stage.expectSettled()
        stage.open(presentation, in: slot)
        await stage.expectSettled()
      }
    },
    Part(name: "the root is replaced") { stage in
      stage.open(.push)
      stage.open(.sheet)
      await stage.expectSettled()
      stage.window.replaceRoot(Root { Screen(scope: $0) })
      await stage.expectSettled()
    },
    Part(name: "alerts and dialogs") { stage in
      for asConfirmation in [false, true] {
        let alert = Alert(
          "Sure?", asConfirmation: asConfirmation,
          buttons: [.init("Yes", true), .init("No", false)]
        )
        var answer: Bool?
        let child = stage.root?.scope.ask(alert) { answer = $0 }
        await stage.expectSettled()
        child?.flow?.choose(0)
        await stage.expectSettled()
        stage.expect(answer == true, "the answer did not arrive")
      }
    },
    Part(name: "the user takes a screen away") { stage in
      guard let dismiss = stage.subject.userDismisses else { return }
      for presentation in [Presentation.sheet, .push] {
        let child = stage.open(presentation)
        await stage.expectSettled()
        dismiss(child.id)
        await stage.expectSettled()
        stage.expect(!child.isCurrent, "a \(presentation) that the user took away lives on")
      }
    },
    Part(name: "commands crossed by the user") { stage in
      guard let dismiss = stage.subject.userDismisses else { return }
      let lower = stage.open(.push)
      let upper = stage.open(.push)
      await stage.expectSettled()
      dismiss(upper.id)
      lower.dismiss()
      dismiss(lower.id)
      stage.open(.push)
      await stage.expectSettled()
    },
    Part(name: "many requests at once") { stage in
      let sheet = stage.open(.sheet)
      sheet.dismiss()
      let slot = Slot<HostConformance.Screen>()
      for _ in 0..<4 { stage.open(.push, in: slot) }
      stage.open(.sheet)
      stage.open(.sheet).dismiss()
      await stage.expectSettled()
    },
    Part(name: "another host shows what is there") { stage in
      let tabs = (0..<2).map { _ in stage.open(.tab) }
      tabs[1].flow?.open(.push)
      stage.window.navigate(.select(tabs[1].id))
      stage.open(.sheet).flow?.open(.push)
      await stage.expectSettled()
      let former = stage.changeHost()
      await stage.expectSettled()
      await stage.expectEmpty(former)
      stage.expect(tabs[1].isCurrent, "a change of hosts must end no flow")
    },
    Part(name: "the window is closed") { stage in
      let child = stage.open(.sheet)
      await stage.expectSettled()
      stage.window.close()
      stage.expect(!child.isCurrent, "a closed window must end its flows")
      await stage.expectEmpty(stage.subject)
    },
  ]

  // MARK: - Stage

  /// A flow of the suite: it has no state, and hosts show it as they show any other.
  public final class Screen: Flow {
    /// Its scope.
    public let scope: FlowScope<Never>

    /// Makes it.
    public init(scope: FlowScope<Never>) { self.scope = scope }

    @discardableResult
    fileprivate func open(_ presentation: Presentation) -> Child<Screen> {
      scope.start(as: presentation) { Screen(scope: $0) }
    }
  }

  @MainActor
  private final class Stage {
    let part: String
    private(set) var subject: Subject
    private let make: @MainActor () -> Subject
    let window: FlowWindow
    private(set) var failures: [Failure] = []
    private let runtime: FlowRuntime
    private let patience: Duration

    init(
      _ part: String, _ make: @escaping @MainActor () -> Subject, _ clock: any Clock<Duration>,
      _ patience: Duration
    ) {
      self.part = part
      self.make = make
      subject = make()
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
    func open(_ presentation: Presentation, in slot: Slot<Screen>? = nil) -> Child<Screen> {
      let scope = root?.scope ?? .preview()
      guard let slot else { return scope.start(as: presentation) { Screen(scope: $0) } }
      return scope.start(in: slot, as: presentation) { Screen(scope: $0) }
    }

    func expect(_ condition: Bool, _ problem: String) {
      if !condition { failures.append(Failure(part: part, problem: problem)) }
    }

    func proceed() async {
      if let proceed = subject.proceed { await proceed() }
    }

    /// Waits for the host, and compares what it shows with what the tree says.
    func expectSettled() async {
      let timeouts = Timeouts()
      runtime.addSink(timeouts)
      defer { runtime.removeSink(timeouts) }
      await proceed()
      await window.settled()
      for command in timeouts.commands {
        failures.append(Failure(part: part, problem: "no answer within \(patience) to \(command)"))
      }
      expect(window.isConsistent, "flows and screens differ:\n\(window.navigation)")
      if let screens = subject.screens?(), screens != window.navigation {
        let problem = "it shows\n\(screens)\nwhere the tree says\n\(window.navigation)"
        failures.append(Failure(part: part, problem: problem))
      }
    }
  }

  private final class Timeouts: TraceSink {
    var commands: [HostCommand] = []
    func record(_ event: TraceEvent) {
      if case .hostTimeout(let command) = event { commands.append(command) }
    }
  }
}
