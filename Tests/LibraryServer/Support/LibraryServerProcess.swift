// Starts the library server for a test or a command, and ends it with it.

import Foundation
import RaceLabCommand

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A running library server on a free loopback port. It ends when this is released, and with the
/// process that started it.
package final class LibraryServerProcess: Sendable {
  /// Where it listens.
  package let url: URL
  /// The file in which it keeps what it did.
  package let database: URL
  /// The folder of a database of its own, which goes with it.
  private let folder: URL?
  private let process: Process
  /// Its input ends with this process, and it with that; nil for one that reads none.
  private let input: Pipe?

  /// Whether there is a Python to run it.
  package static let isPossible = python != nil

  /// One request that the server took.
  package struct Request: Decodable, Equatable, Sendable {
    package let method: String
    package let path: String
    package let account: String
    package let outcome: String
  }

  /// One loan that the server made.
  package struct Loan: Decodable, Hashable, Sendable {
    package let key: String
    package let account: String
    package let body: [UInt8]

    package init(key: String, account: String, body: [UInt8]) {
      self.key = key
      self.account = account
      self.body = body
    }
  }

  package enum Failure: Error {
    case noPython
    case didNotStart(String)
    /// What it answered to something that it does not do.
    case refused(Int, String)
  }

  /// The program, for `python`.
  package static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "library_server.py").path

  /// The Python on PATH.
  package static let python: URL? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: "python3") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  /// Starts a server on an empty database of its own.
  package convenience init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try self.init(
      database: folder.appending(path: "library.db"), [], endsWithInput: true, folder: folder)
  }

  /// Starts a server on this database, with these options of its command line.
  ///
  /// - Parameter endsWithInput: false for one that is started as a user does it, without an input: it
  ///   outlives a process that is killed.
  package convenience init(
    database: URL, _ options: [String] = [], endsWithInput: Bool = true
  ) throws {
    try self.init(database: database, options, endsWithInput: endsWithInput, folder: nil)
  }

  private init(database: URL, _ options: [String], endsWithInput: Bool, folder: URL?) throws {
    guard let python = Self.python else { throw Failure.noPython }
    let process = Process()
    process.executableURL = python
    process.arguments =
      [Self.script, "--database", database.path] + options
      + (endsWithInput ? ["--until-stdin-ends"] : [])
    let pipes = try ProcessStart.alone {
      let pipes = (input: endsWithInput ? Pipe() : nil, output: Pipe())
      process.standardInput = pipes.input ?? FileHandle.nullDevice
      process.standardOutput = pipes.output
      try process.run()
      return pipes
    }
    input = pipes.input
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = pipes.output.fileHandleForReading.availableData
      if more.isEmpty { break }
      line += more
    }
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 2, words[0] == "listening", let port = Int(words[1]),
      let url = URL(string: "http://127.0.0.1:\(port)")
    else { throw Failure.didNotStart(String(decoding: line, as: UTF8.self)) }
    self.url = url
    self.database = database
    self.folder = folder
    self.process = process
  }

  deinit {
    // Not waited for: this may be the thread that the rest of the tests needs.
    process.terminate()
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// Whether the process runs.
  package var isRunning: Bool { process.isRunning }

  /// Every loan, oldest first.
  package func loans() async throws -> [Loan] { try await get("control/loans") }

  /// Every request for a write, oldest first.
  package func log() async throws -> [Request] { try await get("control/log") }

  /// Says what befalls the next writes, one after the other.
  package func setFaults(_ faults: [String]) async throws {
    try await post("control/faults", try JSONEncoder().encode(["faults": faults]))
  }

  /// Lets the answers go that are held.
  package func release() async throws { try await post("control/release", Data()) }

  private func get<Value: Decodable>(_ path: String) async throws -> Value {
    let (data, _) = try await askingAgain {
      try await URLSession.shared.data(from: url.appending(path: path))
    }
    return try JSONDecoder().decode(Value.self, from: data)
  }

  private func post(_ path: String, _ body: Data) async throws {
    let answer = try await answer(path, String(decoding: body, as: UTF8.self))
    if answer.code != 200 { throw Failure.refused(answer.code, answer.text) }
  }

  /// What it answers to this, whatever it is; `token` is that of a member.
  package func answer(
    _ path: String, _ body: String, token: Substring? = nil
  ) async throws -> (code: Int, text: String) {
    var request = URLRequest(url: url.appending(path: path))
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    if let token { request.setValue("Token \(token)", forHTTPHeaderField: "Authorization") }
    let (data, response) = try await askingAgain { [request] in
      try await URLSession.shared.data(for: request)
    }
    let code = (response as? HTTPURLResponse)?.statusCode ?? 0
    return (code, String(decoding: data, as: UTF8.self))
  }
}

/// Asks until there is an answer: a request on a new connection may stay unsent, see `HTTPClient`.
package func askingAgain<Answer>(
  isolation: isolated (any Actor)? = #isolation, _ ask: () async throws -> Answer
) async throws -> Answer {
  while true {
    do { return try await ask() } catch let error as URLError where error.code == .timedOut {}
  }
}
