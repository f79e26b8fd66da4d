// Ten thousand writes: what a submit costs, and how long a relaunch takes to read them.

import Millrace

#if SQLite
  import MillraceSQLite
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that is never called: everything waits for a network.
private struct Nowhere: WriteService {
  struct Unreachable: Error {}
  func validate(_ write: Write, for account: Account) async throws {}
  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer { throw Unreachable() }
  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    throw Unreachable()
  }
}

/// Submits writes offline, waits until all are kept, and reads them with a new runtime.
@MainActor
enum WriteBenchmark {
  private static let account = Account("bench")
  private static let clock = ContinuousClock()

  /// - Returns: whether every write was found again, in less than a second.
  static func run(_ count: Int) async -> Bool {
    var isGood = true
    print("journal      writes   submit ns   all kept ms   relaunch ms")
    for count in [count / 10, count] {
      let memory = MemoryWriteJournal()
      isGood = await measure("memory", count) { memory } && isGood
      #if SQLite
        let path = "/tmp/millrace-bench-\(getpid())-\(count).db"
        isGood = await measure("SQLite", count) { SQLiteWriteJournal(path: path) } && isGood
        for end in ["", "-wal", "-shm"] { _ = unsafe unlink(path + end) }
      #endif
    }
    return isGood
  }

  private static func measure(
    _ name: String, _ count: Int, _ journal: () -> any WriteJournal
  ) async -> Bool {
    let writes = (0..<count).map { Write("loan", intent: Intent(), body: [UInt8($0 & 0xFF)]) }
    var submitted = Duration.zero
    var kept = Duration.zero
    await withRuntime(journal()) { runtime, scope in
      await loaded(runtime, scope)
      let begin = clock.now
      for write in writes { scope.submit(write) }
      submitted = clock.now - begin
      if let last = writes.last {
        _ = try? await scope.phase(of: last.intent, until: .validated)
      }
      kept = clock.now - begin
    }
    var read = Duration.zero
    var found = 0
    await withRuntime(journal()) { runtime, scope in
      let begin = clock.now
      await loaded(runtime, scope)
      found = runtime.writes?.count ?? 0
      read = clock.now - begin
    }
    let perSubmit = submitted / count
    print(
      "\(name.padding(10)) \(count)   \(nanoseconds(perSubmit))   "
        + "\(nanoseconds(kept) / 1_000_000)   \(nanoseconds(read) / 1_000_000)"
        + (found == count ? "" : "   only \(found) found")
        + (read < .seconds(1) ? "" : "   a relaunch takes a second or more"))
    return found == count && read < .seconds(1)
  }

  private static func withRuntime(
    _ journal: any WriteJournal, _ body: @MainActor (FlowRuntime, FlowScope<Int>) async -> Void
  ) async {
    let runtime = FlowRuntime(
      options: RuntimeOptions(checksLeaks: false),
      writes: WriteOptions(service: Nowhere(), journal: journal))
    runtime.connectivity = .offline
    runtime.signIn(account)
    let window = runtime.openWindow { _ in Root { Leaf(scope: $0) } }
    if let scope = (window.rootFlow as? Leaf)?.scope { await body(runtime, scope) }
    window.close()
    runtime.signOut()
    try? await runtime.drained(limit: .seconds(60))
  }

  /// An intent that nobody has: waiting for it waits for the journal to be read.
  private static func loaded(_ runtime: FlowRuntime, _ scope: FlowScope<Int>) async {
    _ = try? await scope.phase(of: Intent(key: ""), until: .validated)
  }

  private static func nanoseconds(_ time: Duration) -> Int64 {
    time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
  }
}

extension String {
  fileprivate func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
