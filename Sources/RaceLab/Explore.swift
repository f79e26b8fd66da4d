// Running a scenario under many schedules.

import Dispatch

/// What bounds a search.
public struct SearchOptions: Sendable {
  /// Runs to make at most.
  public var schedules = 10_000
  /// Real time to take at most.
  public var time: Duration?
  /// How schedules are picked.
  public var strategy: Strategy = .portfolio
  /// What random choices start from: the same seed, the same search.
  public var seed: UInt64 = 1
  /// The part of the search to make.
  public var shard: Shard = .whole
  /// How many tasks may be cancelled, each right before one of its steps, in one run. The search
  /// tries every place.
  public var cancels = 0
  /// Jobs after which a run counts as endless.
  public var stepLimit = 10_000
  /// How long, in real time, a run may wait for something unknown while nothing can run, before
  /// that counts as a deadlock. Waited in full for the first deadlock of a search only, unless
  /// threads outside the lab were seen to resume something.
  public var patience: Duration = .milliseconds(100)

  /// Where the decisions of the run at hand are kept while it runs, so that a trap, which ends the
  /// process, leaves them: a file for each search, removed at its end. Nil for none. By default
  /// the folder `racelab` in the system's folder for temporary files, or `RACELAB_RECORDS`.
  public var recordFolder: String? = Record.defaultFolder

  /// Called on the search's thread after every 256 runs, with the numbers so far, so that somebody
  /// who waits sees that it goes on. Nil for nobody.
  public var progress: (@Sendable (Exploration) -> Void)?

  /// If given, is asked after every run whether the search is to stop there.
  package var stops: (@Sendable () -> Bool)?
  /// If given, is told of every run, and the search does not stop at a fault.
  package var observe: (@Sendable (Failure?, Course) -> Void)?

  /// The defaults.
  public init() {}

  /// The options with what the environment says instead: `RACELAB_SCHEDULES`, `RACELAB_SEED`, and
  /// `RACELAB_SHARD` as `I/N` with I from 1. What cannot be read is not followed.
  var asTheEnvironmentSays: SearchOptions {
    var options = self
    if let schedules = Record.environment("RACELAB_SCHEDULES").flatMap({ Int($0) }), schedules > 0 {
      options.schedules = schedules
    }
    if let seed = Record.environment("RACELAB_SEED").flatMap({ UInt64($0) }) {
      options.seed = seed
    }
    let parts = Record.environment("RACELAB_SHARD")?.split(separator: "/").map { Int($0) } ?? []
    if parts.count == 2, let index = parts[0], let count = parts[1],
      let shard = Shard(index: index - 1, of: count)
    {
      options.shard = shard
    }
    return options
  }
}

/// Runs `scenario` under many schedules, until one shows a fault or the options say stop.
///
/// Each run gets a lab and a main actor of its own, as in ``Lab/run(leftovers:patience:outsideLimit:stepLimit:isolation:_:)``,
/// and must set up all that it uses. A fault is an error that the scenario throws, a condition of
/// ``Lab/require(_:_:file:line:)`` or ``Lab/always(_:_:)`` that is false, a deadlock, an endless run, or an
/// object of ``Lab/expectFreed(_:_:)`` that is still there. The failing run is shrunk, and told
/// with a token that repeats it.
///
/// ```swift
/// try await explore(schedules: 20_000) { lab in
///   let store = AccountStore()
///   for _ in 0..<2 { Task { await store.create("ada") } }
///   await lab.settle()
///   try lab.require(store.count == 1)
/// }
/// ```
///
/// - Returns: the numbers of the search.
/// - Throws: ``ExplorationFailure`` if a fault was found; ``LabError`` if there is no lab here.
@discardableResult
public func explore(
  _ name: String = "scenario",
  schedules: Int = 10_000,
  strategy: Strategy = .portfolio,
  seed: UInt64 = 1,
  cancelEverywhere: Bool = false,
  isolation: isolated (any Actor)? = #isolation,
  _ scenario: @escaping @MainActor (Lab) async throws -> Void
) async throws -> Exploration {
  var options = SearchOptions()
  options.schedules = schedules
  options.strategy = strategy
  options.seed = seed
  options.cancels = cancelEverywhere ? 1 : 0
  return try await explore(name, options: options, scenario)
}

/// Runs `scenario` under many schedules, as
/// ``explore(_:schedules:strategy:seed:cancelEverywhere:isolation:_:)`` does, with all options.
@discardableResult
public func explore(
  _ name: String = "scenario",
  options: SearchOptions,
  isolation: isolated (any Actor)? = #isolation,
  _ scenario: @escaping @MainActor (Lab) async throws -> Void
) async throws -> Exploration {
  let exploration = try await search(name, options: options, elsewhere: nil, scenario)
  if exploration.finding != nil { throw ExplorationFailure(exploration: exploration) }
  return exploration
}

/// Makes the one run that a token names.
///
/// - Throws: ``ExplorationFailure`` if it shows a fault; ``ReplayError`` if the code has changed so
///   that the token does not fit any more; ``TokenError`` if it is none.
@discardableResult
public func explore(
  _ name: String = "scenario",
  replaying token: String,
  options: SearchOptions = SearchOptions(),
  isolation: isolated (any Actor)? = #isolation,
  _ scenario: @escaping @MainActor (Lab) async throws -> Void
) async throws -> Exploration {
  let token = try Token(token)
  let exploration = try await replay(name, token, options: options, scenario).get()
  if exploration.finding != nil { throw ExplorationFailure(exploration: exploration) }
  return exploration
}

/// Why a token does not repeat its run.
public struct ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
  /// At which step, what the token wants, and what could run instead.
  public let description: String
}

extension Exploration {
  /// Searches, and returns what was found instead of throwing it. `elsewhere` is asked after each
  /// run for a fault that something else saw, such as a testing library. For adapters to one.
  public static func search(
    _ name: String, options: SearchOptions,
    elsewhere: @escaping @Sendable () -> Failure?,
    isolation: isolated (any Actor)? = #isolation,
    _ scenario: @escaping @MainActor (Lab) async throws -> Void
  ) async throws -> Exploration {
    try await RaceLab.search(name, options: options, elsewhere: elsewhere, scenario)
  }

  /// Makes the one run that a token names, and returns what was found instead of throwing it.
  /// For adapters to a testing library.
  /// - Throws: ``ReplayError`` or ``TokenError`` if the token does not fit.
  public static func replay(
    _ name: String, _ token: String, options: SearchOptions,
    elsewhere: @escaping @Sendable () -> Failure?,
    isolation: isolated (any Actor)? = #isolation,
    _ scenario: @escaping @MainActor (Lab) async throws -> Void
  ) async throws -> Exploration {
    let token = try Token(token)
    return try await RaceLab.replay(
      name, token, options: options, elsewhere: elsewhere, scenario
    ).get()
  }
}

func search(
  _ name: String, options: SearchOptions, elsewhere: (@Sendable () -> Failure?)?,
  isolation: isolated (any Actor)? = #isolation,
  _ scenario: @escaping ScenarioBody
) async throws -> Exploration {
  try await onThread(options, elsewhere, scenario) { trials in
    Search(name: name, options: options.asTheEnvironmentSays, trials: trials).run()
  }
}

func replay(
  _ name: String, _ token: Token, options: SearchOptions,
  elsewhere: (@Sendable () -> Failure?)? = nil,
  isolation: isolated (any Actor)? = #isolation,
  _ scenario: @escaping ScenarioBody
) async throws -> Result<Exploration, ReplayError> {
  try await onThread(options, elsewhere, scenario) { trials in
    Search(name: name, options: options, trials: trials).replay(token)
  }
}

/// Sets up runs of `scenario` in the caller's task, and does `work` with them on a thread of its
/// own.
private func onThread<R: Sendable>(
  _ options: SearchOptions, _ elsewhere: (@Sendable () -> Failure?)?,
  _ scenario: @escaping ScenarioBody,
  isolation: isolated (any Actor)? = #isolation,
  _ work: @escaping @Sendable (Trials) -> R
) async throws -> R {
  let installed = try InstalledBackend.shared()
  let limits = RunLimits(
    steps: options.stepLimit, patience: options.patience, cancels: options.cancels)
  let core = LabRun(
    backend: installed.backend, limits: limits,
    capability: installed.capability, isPlain: false)
  let trials = Trials(core: core, body: scenario)
  trials.elsewhere = elsewhere
  trials.prepare()
  let outer = CurrentRun.value?.inbox
  let entry = outer?.enterOutside("explore")
  defer { if let outer, let entry { outer.leaveOutside(entry) } }
  let result: R? = await withCheckedContinuation { continuation in
    let started = LabThread.start {
      let result = CurrentRun.with(core) {
        ForeignJobs.add(core.inbox)
        defer { core.close() }
        defer { trials.finish() }
        return work(trials)
      }
      continuation.resume(returning: result)
    }
    if !started { continuation.resume(returning: nil) }
  }
  guard let result else { throw LabError.noThread }
  return result
}
