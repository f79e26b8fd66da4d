// Faults on purpose, so that the counts are seen to count.

#if SQLite
  import LibraryApp
  import Millrace

  /// What a process that is started with `--plant` does wrong.
  enum Plant: String, CaseIterable {
    /// Sends each write once more, under another key.
    case secondKey = "second-key"
    /// Says of each write that it is done, and sends nothing.
    case notSent = "not-sent"

    /// The names, for a user.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// The service of a process with a fault.
  struct PlantedService: WriteService {
    let plant: Plant
    let base: LiveWriteService

    func validate(_ write: Write, for account: Account) async throws {
      try await base.validate(write, for: account)
    }

    func send(
      _ write: Write, in session: Session, with credential: [UInt8]
    ) async throws -> WriteAnswer {
      switch plant {
      case .notSent: return .confirmed()
      case .secondKey:
        let again = Write(
          write.name, intent: Intent(key: "\(write.intent)-again"), body: write.body)
        _ = try await base.send(again, in: session, with: credential)
        return try await base.send(write, in: session, with: credential)
      }
    }

    func status(
      of write: Write, in session: Session, with credential: [UInt8]
    ) async throws -> WriteStatus {
      try await base.status(of: write, in: session, with: credential)
    }
  }
#endif
