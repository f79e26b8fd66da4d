// Installs the back end once for the process, and tests on the spot what it controls: a lab that
// loses jobs would hang, or worse, call a test settled that is not.

import Dispatch
import Synchronization

enum InstalledBackend {
  private struct State {
    var backend: (any SchedulerBackend)?
    var capability: Capability = []
  }

  private static let state = Guarded(State())

  /// The best back end for this platform, or the one that the environment asks for.
  private static var best: any SchedulerBackend {
    #if os(Linux)
      Record.environment("RACELAB_BACKEND") == "hooks" ? HookBackend() : ExecutorBackend()
    #else
      HookBackend()
    #endif
  }

  /// The back end, installed and tested.
  /// - Throws: ``LabError/uncontrolled(_:)`` if it does not control all that it promises.
  static func shared() throws -> Installed {
    let (backend, capability) = state.withLock { state in
      if let backend = state.backend { return (backend, state.capability) }
      let backend = best
      backend.install()
      StreamWatch.install()
      // Foreign code under the lock: none but the probes below, which never come back here.
      state.capability = SelfTest.run(with: backend).subtracting(backend.foreign)
      state.backend = backend
      return (backend, state.capability)
    }
    let missing = backend.promised.subtracting(capability)
    guard missing.isEmpty else { throw LabError.uncontrolled(missing.names) }
    return Installed(backend: backend, capability: capability)
  }
}

/// A back end, and what it was seen to control.
struct Installed: Sendable {
  let backend: any SchedulerBackend
  let capability: Capability
}

/// Tries each thing that a lab must control in a small run of its own.
enum SelfTest {
  private typealias Probe = @MainActor () async throws -> Void

  static func run(with backend: any SchedulerBackend) -> Capability {
    let probes: [(Capability, Probe)] = [
      (.mainActor, {}),
      (.pool, { await Task.detached {}.value }),
      (.yield, { await Task.yield() }),
      (.sleep, { try? await Task.sleep(for: .seconds(3600)) }),
      (.actors, { await ProbeActor().touch() }),
      (.everyHop, { await Task.detached { await ProbeActor().touch() }.value }),
      (.actorYield, { try await actorYields() }),
      (.now, { try await now() }),
      (.immediate, { await immediate() }),
      (.places, { try await places() }),
      (.streams, { try streams() }),
      (.cancels, { try cancels() }),
    ]
    var seen: Capability = []
    for (capability, probe) in probes where passes(probe, of: capability, with: backend) {
      seen.insert(capability)
    }
    return seen
  }

  /// Whether a run in which nothing comes from other threads gets to its end.
  private static func passes(
    _ probe: @escaping Probe, of capability: Capability, with backend: any SchedulerBackend
  ) -> Bool {
    let limits = RunLimits(steps: 1000, patience: .milliseconds(200))
    let core = LabRun(backend: backend, limits: limits)
    core.watchesTasks = capability == .places && TaskWatch.isPossible
    core.startRoot { try await probe() }
    // A hop from the pool to an idle actor: its task's start, the hop, and the root's two steps.
    let needed = capability == .everyHop ? 4 : 0
    let done = DispatchSemaphore(value: 0)
    let passed = Atomic<Bool>(false)
    let started = LabThread.start {
      let clean = CurrentRun.with(core) {
        ForeignJobs.add(core.inbox)
        defer { core.close() }
        let clean = core.execute() == nil && core.rootError == nil && core.steps >= needed
        core.windUp()
        return clean && core.inbox.wakeUps == 0
      }
      passed.store(clean, ordering: .releasing)
      done.signal()
    }
    guard started else { return false }
    done.wait()
    return passed.load(ordering: .acquiring)
  }

  @MainActor private static func immediate() async {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      await Task.immediate { await Task.yield() }.value
    }
  }

  private struct Unseen: Error {}

  /// Of four tasks one waits for a continuation, one for that task, so does a child of `async let`,
  /// and one has ended: all that must be seen, and a name, and that the child is gone at the end.
  @MainActor private static func places() async throws {
    guard let run = CurrentRun.value, run.watchesTasks else { throw Unseen() }
    let held = Guarded<CheckedContinuation<Void, Never>?>(nil)
    let stuck = Task.detached(name: "stuck") {
      await withCheckedContinuation { continuation in held.withLock { $0 = continuation } }
    }
    let waiter = Task.detached { await stuck.value }
    async let child: Void = stuck.value
    await Task.detached {}.value
    let seen = [1, 2, 3].compactMap { run.watch.address(of: $0) }
    let isRight =
      seen.map { run.watch.reason(of: $0) } == [.continuation, .task(1), .task(1)]
      && seen.allSatisfy { Code.place(ofTask: $0).isInLab } && run.watch.address(of: 4) == nil
      && run.watch.name(of: 1) == "stuck"
    held.withLock { held in
      defer { held = nil }
      return held
    }?.resume()
    await waiter.value
    await child
    guard isRight, run.watch.address(of: 3) == nil else { throw Unseen() }
  }

  @MainActor private static func streams() throws {
    let run = CurrentRun.value
    run?.finishedStreams = []
    let (_, feed) = AsyncStream.makeStream(of: Int.self)
    feed.finish()
    feed.yield(1)
    guard run?.streamCalls == 2 else { throw Unseen() }
  }

  @MainActor private static func actorYields() async throws {
    let actor = ProbeActor()
    await actor.spawn(ProbeActor())
    await CurrentRun.value?.settle()
    guard await actor.sum == 6 else { throw Unseen() }
  }

  @MainActor private static func cancels() throws {
    let task = Task {}
    task.cancel()
    guard CurrentRun.value?.cancelCalls == 1 else { throw Unseen() }
  }

  private struct RealTime: Error {}

  private static func now() async throws {
    let start = ContinuousClock.now
    try await Task.sleep(for: .seconds(3600))
    guard start.duration(to: .now) == .seconds(3600) else { throw RealTime() }
  }

  private actor ProbeActor {
    func touch() {}

    private(set) var sum = 0
    func spawn(_ other: ProbeActor) {
      for _ in 0..<3 {
        Task {
          await other.touch()
          sum += 1
          await Task.yield()
          sum += 1
        }
      }
    }
  }
}
