// The process that is killed: it submits what it was told to, and writes a line for each phase.

#if SQLite
  import Foundation
  import LibraryApp
  import Millrace
  import MillraceSQLite

  /// `child JOURNAL SERVER ACCOUNT COUNT [PLANT]`: submits COUNT writes and goes on until all are
  /// confirmed.
  @MainActor
  struct Child {
    private let journal: String
    private let server: URL
    private let account: Account
    private let count: Int
    private let plant: Plant?

    /// The writes of an account. Each has a body of its own, which says what was meant, whatever key it
    /// is sent under.
    nonisolated static func write(_ number: Int, of account: Account) -> Write {
      Write(
        "loan", intent: Intent(key: "\(account.id)-\(number)"), body: Array("book \(number)".utf8))
    }

    init(_ words: [String]) throws {
      guard (5...6).contains(words.count) else {
        throw Options.Wrong(
          description: "the process that is killed wants child JOURNAL SERVER ACCOUNT COUNT [PLANT]"
        )
      }
      guard let server = URL(string: words[2]), server.scheme == "http", server.host() != nil else {
        throw Options.Wrong(
          description: "\(words[2].debugDescription) is no address of a server, such as "
            + "http://127.0.0.1:8080")
      }
      guard !words[3].isEmpty else { throw Options.Wrong(description: "the account has no name") }
      plant = words.count == 6 ? try Options.plant("child", words[5]) : nil
      journal = words[1]
      self.server = server
      account = Account(words[3])
      count = try Options.number("COUNT", words[4], in: 0...1_000_000)
    }

    private var service: any WriteService {
      let live = LiveWriteService(server: server)
      guard let plant else { return live }
      return PlantedService(plant: plant, base: live)
    }

    func run() async throws {
      endWithParent()
      let runtime = FlowRuntime(
        writes: WriteOptions(
          service: service, journal: SQLiteWriteJournal(path: journal),
          callLimit: .seconds(1),
          retry: RetryPolicy(attempts: .max, first: .milliseconds(2), longest: .milliseconds(20)),
          confirmation: RetryPolicy(attempts: .max, first: .milliseconds(5)), concurrency: 4,
          remembered: max(256, count)))
      runtime.signIn(account)
      let log = Log()
      runtime.addSink(log)
      let window = runtime.openWindow { _ in Root { Desk(scope: $0) } }
      guard let scope = (window.rootFlow as? Desk)?.scope else { return }
      for number in 0..<count {
        scope.submit(Self.write(number, of: account))
        // Not all in one job, so that submits and answers meet.
        if number % 5 == 4 { try await scope.sleep(for: .milliseconds(1)) }
      }
      while runtime.writes?.isLoaded != true {
        // The one that was killed may still hold it; anything else does not pass.
        if let problem = runtime.writes?.problem, ![.locked, .silent].contains(problem.kind) {
          throw problem
        }
        try await scope.sleep(for: .milliseconds(1))
      }
      if let problem = runtime.writes?.problem { throw problem }
      for entry in runtime.writes?.entries ?? [] {
        let last = try await scope.phase(of: entry.write.intent, until: .confirmed)
        log.line("final \(last.write.intent) \(last.phase?.rawValue ?? "nothing")")
      }
      log.line("done")
    }
  }

  /// Without the process that counts there is no server, and nothing would ever be confirmed.
  private func endWithParent() {
    let parent = getppid()
    Thread.detachNewThread {
      while getppid() == parent { sleep(1) }
      exit(3)
    }
  }

  @MainActor
  private final class Desk: Flow {
    let scope: FlowScope<Never>
    init(scope: FlowScope<Never>) { self.scope = scope }
  }

  /// Writes a line for each phase, at once: what is in the pipe outlasts the process.
  @MainActor
  private final class Log: TraceSink {
    func record(_ event: TraceEvent) {
      if case .write(let intent, _, let phase) = event { line("\(phase.rawValue) \(intent)") }
    }

    func line(_ text: String) {
      try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    }
  }
#endif
