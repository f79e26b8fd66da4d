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
/// host with animations needs a real clock, one in a lab the lab's. What it cannot do in the name of
/// the user (`Subject`) is not tried: give it as much as there is.
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
    /// Lets the user go through with a gesture (true), or begin it and let go: one that takes the flow
    /// away, or the one that an interactive replacement by this flow waits for; nil if a test cannot
    /// do it.
    public var userDecides: (@MainActor (FlowID, Bool) -> Void)?
    /// Lets the host get on with its work; nil if it does so by itself.
    public var proceed: (@MainActor () async -> Void)?

    /// Makes a subject.
    public init(
      _ host: any Host, screens: (@MainActor () -> Navigation)? = nil,
      userDismisses: (@MainActor (FlowID) -> Void)? = nil,
      userSelects: (@MainActor (FlowID) -> Void)? = nil,
      userDecides: (@MainActor (FlowID, Bool) -> Void)? = nil,
      proceed: (@MainActor () async -> Void)? = nil
    ) {
      self.host = host
      self.screens = screens
      self.userDismisses = userDismisses
      self.userSelects = userSelects
      self.userDecides = userDecides
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
}
