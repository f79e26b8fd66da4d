// The process that kills: rounds, counts, and the comparison with the server.

#if SQLite
  import Foundation
  import LibraryServerSupport
  import Millrace
  import MillraceSQLite
  import RaceLabCommand

  struct Rounds {
    private let options: Options
    private let folder: URL
    private let server: LibraryServerProcess
    private static let writes = 50

    /// Between which two phases a write was when its process was killed.
    private enum Gap: String, CaseIterable {
      case submittedAndValidated, validatedAndSent, sentAndAccepted, acceptedAndConfirmed
    }

    init(_ options: Options) throws {
      self.options = options
      // In memory if possible: a kill does not touch what the system has been given.
      let memory = URL(filePath: "/dev/shm")
      let files = FileManager.default
      let usual = files.isWritableFile(atPath: memory.path) ? memory : files.temporaryDirectory
      folder = (options.place ?? usual).appending(path: "write-kill-\(UUID().uuidString)")
      // What is made from here on is taken away again, also at a signal.
      EndSignal.onFirst { AtHand.one.end() }
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      do {
        server = try LibraryServerProcess(
          database: folder.appending(path: "library.db"),
          ["--confirm-after", "1", "--faults", "\(options.faults)", "--seed", "\(options.seed)"])
      } catch {
        try? files.removeItem(at: folder)
        throw error
      }
    }

    /// Whether nothing was lost, nothing was done twice, and the kills were enough to say so; false at a
    /// signal.
    func run() async throws -> Bool {
      defer { try? FileManager.default.removeItem(at: folder) }
      var random = SplitMix64(seed: options.seed)
      var kills = 0
      var gaps: [Gap: Int] = [:]
      var round = 0
      var promised = 0
      var lost = 0
      var double = 0
      var strays = 0
      var unconfirmed = 0
      // How long a process takes, for moments that are spread over all of it.
      var usual = Duration.milliseconds(400)
      // Where nothing was told as kept, nothing can be lost.
      while kills < options.kills || promised == 0
        || Gap.allCases.contains(where: { gaps[$0, default: 0] < options.perGap })
      {
        guard EndSignal.caught == nil else { return false }
        round += 1
        guard round < 20 * max(options.kills, 10) else { break }
        let account = "round\(round)"
        let journal = folder.appending(path: "\(account).db").path
        var kept: Set<String> = []
        var started = try child(journal, account, Self.writes)
        // The first process is always killed, the next ones sometimes: a relaunch can die as well.
        for attempt in 0..<3 where attempt == 0 || Bool.random(using: &random) {
          if attempt > 0 { started = try child(journal, account, 0) }
          let time = usual * Double.random(in: 0...1.1, using: &random)
          try await Task.sleep(for: time)
          let wasRunning = started.kill()
          let lines = started.lines()
          kept.formUnion(Self.keys(lines, after: "validated "))
          guard wasRunning else { break }
          guard EndSignal.caught == nil else { return false }
          kills += 1
          for gap in try await left(journal, account, attempt == 0) { gaps[gap, default: 0] += 1 }
        }
        let clock = ContinuousClock()
        let begin = clock.now
        let last = try child(journal, account, 0)
        let lines = last.lines()
        guard EndSignal.caught == nil else { return false }
        if round % 10 == 0 { usual = max(.milliseconds(30), (usual + (clock.now - begin) * 2) / 2) }
        let ending = Set(lines)
        let loans = try await server.loans().filter { $0.account == account }
        promised += kept.count
        unconfirmed += kept.filter { !ending.contains("final \($0) confirmed") }.count
        lost += kept.subtracting(loans.map(\.key)).count
        double += loans.count - Set(loans.map(\.body)).count
        strays += strangers(loans, account)
        if !ending.contains("done") {
          unconfirmed += 1
          print("\(account): the last process did not come to its end: \(lines.suffix(3))")
        }
        for key in kept.filter({ !ending.contains("final \($0) confirmed") }).sorted() {
          print("\(account): \(key) is not confirmed: \(lines.filter { $0.hasSuffix(key) })")
        }
      }
      let accounts = Set((1...max(1, round)).map { "round\($0)" })
      strays += try await server.loans().count { !accounts.contains($0.account) }
      print(
        "kills \(kills), rounds \(round), submits \(round * Self.writes), told as kept \(promised)")
      for gap in Gap.allCases { print("  between \(gap.rawValue): \(gaps[gap, default: 0]) kills") }
      print(
        "lost \(lost), double \(double), asked for by nobody \(strays), not confirmed \(unconfirmed)"
      )
      let enough =
        kills >= options.kills && promised > 0
        && Gap.allCases.allSatisfy { gaps[$0, default: 0] >= options.perGap }
      if !enough { print("too few kills: raise --kills") }
      return enough && lost + double + strays + unconfirmed == 0
    }

    private func child(_ journal: String, _ account: String, _ count: Int) throws -> Started {
      let words = ["child", journal, server.url.absoluteString, account, "\(count)"]
      return try Started(words + (options.plant.map { [$0.rawValue] } ?? []))
    }

    /// How many loans have a key that the round has not made, or another body than that key.
    private func strangers(_ loans: [LibraryServerProcess.Loan], _ account: String) -> Int {
      let writes = (0..<Self.writes).map { Child.write($0, of: Account(account)) }
      let asked = Set(writes.map { LibraryServerProcess.Loan($0, account) })
      return loans.count { !asked.contains($0) }
    }

    /// The gaps in which at least one write was, as the journal that is left says.
    private func left(_ path: String, _ account: String, _ isFirst: Bool) async throws -> Set<Gap> {
      guard FileManager.default.fileExists(atPath: path) else {
        return isFirst ? [.submittedAndValidated] : []
      }
      let journal = SQLiteWriteJournal(path: path)
      let records = try await journal.load(Account(account)).records
      var gaps: Set<Gap> = isFirst && records.count < Self.writes ? [.submittedAndValidated] : []
      for record in records {
        switch record.phase {
        case .validated: gaps.insert(.validatedAndSent)
        case .sent: gaps.insert(.sentAndAccepted)
        case .accepted: gaps.insert(.acceptedAndConfirmed)
        default: break
        }
      }
      return gaps
    }

    private static func keys(_ lines: [String], after prefix: String) -> [String] {
      lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }
  }

  extension LibraryServerProcess.Loan {
    /// What the server should have of this write.
    fileprivate init(_ write: Write, _ account: String) {
      self.init(key: write.intent.key, account: account, body: write.body)
    }
  }
#endif
