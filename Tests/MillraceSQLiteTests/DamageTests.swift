// A journal after a crash, a power cut, or on a bad disk: it opens as it was at some commit, or says
// what is wrong; it never shows a phase that was not written.

#if SQLite
  import CLossyFiles
  import Foundation
  import Millrace
  import Testing

  @testable import MillraceSQLite

  /// A history of commits, and what the journal held after each.
  private struct History {
    let commits: [[JournalChange]] = {
      var commits: [[JournalChange]] = []
      for number in 1...6 {
        for phase in [WritePhase.validated, .sent, .accepted, .confirmed] {
          commits.append([.put(makeRecord(number, phase))])
        }
        if number == 4 { commits.append([.remove(alice, Intent(key: "key 2"))]) }
      }
      return commits
    }()

    /// The phases after 0, 1, 2… commits.
    var states: [[String: WritePhase]] {
      var state: [String: WritePhase] = [:]
      var all = [state]
      for change in commits.flatMap({ $0 }) {
        switch change {
        case .put(let record): state[record.write.intent.key] = record.phase
        case .remove(_, let intent): state[intent.key] = nil
        }
        all.append(state)
      }
      return all
    }

    /// Every phase that a key ever had.
    var everHad: [String: Set<WritePhase>] {
      var had: [String: Set<WritePhase>] = [:]
      for state in states { for (key, phase) in state { had[key, default: []].insert(phase) } }
      return had
    }
  }

  @Suite("SQLite journal: damage") struct DamageTests {
    private let history = History()

    /// The files of a journal whose process was killed after all commits: all is in the log.
    private func killed(_ folder: Folder) async throws -> (main: Data, log: Data) {
      let journal = SQLiteWriteJournal(path: folder.path())
      for changes in history.commits { try await journal.commit(changes) }
      let main = try #require(folder.read("writes.db"))
      let log = try #require(folder.read("writes.db-wal"))
      return (main, log)
    }

    /// The file of a journal that was closed: all is in the main file.
    private func closed(_ folder: Folder) async throws -> Data {
      try await {
        let journal = SQLiteWriteJournal(path: folder.path())
        for changes in history.commits { try await journal.commit(changes) }
      }()
      return try #require(folder.read("writes.db"))
    }

    /// What a journal of these files says.
    private func open(_ main: Data, _ log: Data?, _ folder: Folder) async throws -> Opened {
      try folder.write(main, "torn.db")
      try folder.write(log, "torn.db-wal")
      try folder.write(nil, "torn.db-shm")
      let journal = SQLiteWriteJournal(path: folder.path("torn.db"), patience: .zero)
      do {
        let contents = try await journal.load(alice)
        let phases = Dictionary(
          uniqueKeysWithValues: contents.records.map { ($0.write.intent.key, $0.phase) })
        for record in contents.records {
          let number = Int(record.sequence)
          #expect(record == makeRecord(number, record.phase), "a mixture")
        }
        return contents.problem.map { .partly(phases, $0.kind) } ?? .opened(phases)
      } catch let error as JournalError { return .failed(error.kind) }
    }

    private enum Opened {
      case opened([String: WritePhase])
      case partly([String: WritePhase], JournalError.Kind)
      case failed(JournalError.Kind)
    }

    // A process or a machine that stops while the log is written.
    @Test func tornLog_isTheStateOfSomeCommit() async throws {
      let folder = try Folder()
      let (main, log) = try await killed(folder)
      let states = history.states
      var reached: Set<Int> = []
      var last = 0
      // Every frame boundary, the bytes around it, and every 97th byte.
      let frame = 24 + 4096
      let sizes = (0...log.count).filter {
        let place = ($0 - 32) % frame
        return $0 % 97 == 0 || place <= 25 || place >= frame - 2 || $0 == log.count
      }
      for size in sizes {
        guard case .opened(let phases) = try await open(main, log.prefix(size), folder) else {
          Issue.record("a log of \(size) bytes does not open")
          continue
        }
        let index = try #require(
          states[last...].firstIndex(of: phases), "a log of \(size) bytes: \(phases)")
        #expect(index >= last, "a longer log holds no less")
        last = index
        reached.insert(index)
      }
      #expect(last == states.count - 1)
      #expect(reached.count > states.count / 2, "the sizes reach most commits")
    }

    // The main file at any size: all of it, or a clear error. One of no byte cannot be told from a
    // journal that never held anything.
    @Test func tornMainFile_isNoticed() async throws {
      let folder = try Folder()
      let main = try await closed(folder)
      let full = try #require(history.states.last)
      for size in 1..<main.count {
        switch try await open(main.prefix(size), nil, folder) {
        case .opened(let phases): Issue.record("\(size) bytes of \(main.count): \(phases)")
        case .partly(let phases, let kind):
          #expect(kind == .damaged)
          for (key, phase) in phases { #expect(full[key] == phase) }
        case .failed(let kind): #expect(kind == .damaged || kind == .unavailable)
        }
      }
      guard case .opened(let phases) = try await open(main, nil, folder) else {
        Issue.record("the whole file does not open")
        return
      }
      #expect(phases == full)
    }

    // A flipped bit in a record or in the structure around it.
    @Test func flippedBit_neverShowsAWrongPhase() async throws {
      let folder = try Folder()
      let main = try await closed(folder)
      let full = try #require(history.states.last)
      var noticed = 0
      var harmless = 0
      for bit in stride(from: 0, to: main.count * 8, by: 11) {
        var flipped = main
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        switch try await open(flipped, nil, folder) {
        case .opened(let phases):
          #expect(phases == full, "bit \(bit)")
          harmless += 1
        case .partly(let phases, _):
          for (key, phase) in phases { #expect(full[key] == phase, "bit \(bit)") }
          noticed += 1
        case .failed: noticed += 1
        }
      }
      #expect(noticed > 0 && harmless > 0)
    }

    // Every bit of the pages of a small journal, those of the accounts too: a record that is no longer
    // found by its key is missed, not passed over.
    @Test func flippedBitInASmallJournal_losesNothingSilently() async throws {
      let folder = try Folder()
      let kept = (1...8).map { makeRecord($0, of: $0 % 3 == 0 ? bob : alice) }
      try await {
        let journal = SQLiteWriteJournal(path: folder.path())
        try await journal.commit(kept.map { .put($0) })
      }()
      let main = try #require(folder.read("writes.db"))
      let full = Dictionary(
        uniqueKeysWithValues: kept.filter { $0.account == alice }.map {
          ($0.write.intent.key, $0.phase)
        })
      // The last page: a head, the places of the records, nothing, and the records up to its end.
      let page = main.count - 4096
      let start = try #require(main[(page + 100)...].firstIndex { $0 != 0 })
      #expect(main[start...].range(of: Data("bob".utf8)) != nil)
      var noticed = 0
      let bits = Array(page * 8..<(page + 32) * 8) + Array(start * 8..<main.count * 8)
      for bit in bits {
        var flipped = main
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        switch try await open(flipped, nil, folder) {
        case .opened(let phases): #expect(phases == full, "bit \(bit)")
        case .partly(let phases, let kind):
          #expect(kind == .damaged, "bit \(bit)")
          for (key, phase) in phases { #expect(full[key] == phase, "bit \(bit)") }
          noticed += 1
        case .failed: noticed += 1
        }
      }
      #expect(noticed > bits.count / 2)
    }

    @Test func flippedBitInTheLog_isTheStateOfAnEarlierCommit() async throws {
      let folder = try Folder()
      let (main, log) = try await killed(folder)
      let states = history.states
      for bit in stride(from: 0, to: log.count * 8, by: 1_009) {
        var flipped = log
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        switch try await open(main, flipped, folder) {
        case .opened(let phases): #expect(states.contains(phases), "bit \(bit)")
        case .partly(let phases, _):
          for (key, phase) in phases {
            #expect(history.everHad[key]?.contains(phase) ?? false, "bit \(bit)")
          }
        case .failed: break
        }
      }
    }

    // A power cut right after a commit has returned: what was told as kept must be there.
    @Test func powerCut_losesNothingThatWasCommitted() async throws {
      #expect(lossy_register() == 0)
      let folder = try Folder()
      let journal = SQLiteWriteJournal(
        path: folder.path(), access: .readWrite, virtualFileSystem: "lossy")
      let states = history.states
      for (index, changes) in history.commits.enumerated() {
        try await journal.commit(changes)
        // What was synced by now, and nothing else.
        let main = try #require(folder.read("writes.db.synced"))
        let log = folder.read("writes.db-wal.synced")
        guard case .opened(let phases) = try await open(main, log, folder) else {
          Issue.record("after commit \(index + 1) the journal does not open")
          continue
        }
        #expect(phases == states[index + 1], "after commit \(index + 1)")
      }
    }
  }
#endif
