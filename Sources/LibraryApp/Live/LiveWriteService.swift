// Writes to a lending library on HTTP: what its answers mean, and which failures are known ones.

import Foundation
import Millrace

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service for writes whose server speaks HTTP, as `Tests/LibraryServer` does.
///
/// A write goes to `v1/writes/KEY`. When the task of a call is cancelled its request is too, down to
/// the socket.
package struct LiveWriteService: WriteService {
  private let server: URL
  private let client: HTTPClient

  /// Makes a service for the server at this address, such as `http://127.0.0.1:8080`.
  ///
  /// - Parameter timeout: seconds without a byte of an answer, after which a call fails. The runtime has
  ///   a limit of its own for each call: this is for calls without a runtime.
  package init(server: URL, timeout: TimeInterval = 3600) {
    self.server = server
    client = HTTPClient(timeout: timeout, connections: 16)
  }

  /// Lets go of the connections, after the calls that are under way.
  package func close() { client.close() }

  package func validate(_ write: Write, for account: Account) async throws {
    if write.body.isEmpty { throw WriteFailure.rejected("it is empty") }
    // A key with a slash, or an account with a line break, would ask for something else.
    let key = write.intent.key.utf8
    guard !key.isEmpty, key.allSatisfy(Self.isPlain) else {
      throw WriteFailure.rejected(
        "its key is no part of an address: only a-z, A-Z, 0-9, - and _ are")
    }
    guard account.id.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw WriteFailure.rejected("its account has a character that is no part of a header")
    }
  }

  package func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    var request = request(for: write, session)
    request.httpMethod = "POST"
    request.httpBody = Data(write.body)
    let (data, response) = try await ask(request)
    switch response.statusCode {
    case 200, 201: return try Self.answer(data)
    case 409: throw WriteFailure.rejected(Self.reason(data))
    default: throw Self.failure(response)
    }
  }

  package func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    let (data, response) = try await ask(request(for: write, session))
    switch response.statusCode {
    case 200: return .seen(try Self.answer(data))
    case 404: return .unseen
    default: throw Self.failure(response)
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private func request(for write: Write, _ session: Session) -> URLRequest {
    var request = URLRequest(
      url: server.appending(path: "v1").appending(path: "writes")
        .appending(path: write.intent.key))
    // A connection of its own: on one that is used again and has died, Foundation on Linux repeats the
    // request by itself, and tries are counted here.
    request.setValue("close", forHTTPHeaderField: "Connection")
    request.setValue("Account \(session.account.id)", forHTTPHeaderField: "Authorization")
    return request
  }

  private func ask(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    do {
      return try await client.answer(to: request)
    } catch let error as URLError where Self.notDelivered.contains(error.code) {
      throw WriteFailure.notDelivered
    }
  }

  /// The failures after which nothing can have arrived.
  private static let notDelivered: Set<URLError.Code> = [
    .cannotConnectToHost, .cannotFindHost, .notConnectedToInternet, .dnsLookupFailed,
  ]

  private struct Content: Decodable {
    var status: String?
    var receipt: Int?
    var error: String?
  }

  private static func answer(_ data: Data) throws -> WriteAnswer {
    let content = try JSONDecoder().decode(Content.self, from: data)
    let receipt = content.receipt.map { Array("\($0)".utf8) } ?? []
    switch content.status {
    case "accepted": return .accepted(receipt: receipt)
    case "confirmed": return .confirmed(receipt: receipt)
    default: throw LiveError.unreadable
    }
  }

  private static func reason(_ data: Data) -> String {
    (try? JSONDecoder().decode(Content.self, from: data))?.error ?? "the library says no"
  }

  private static func failure(_ response: HTTPURLResponse) -> any Error {
    switch response.statusCode {
    case 401: return WriteFailure.signedOut
    case 429:
      return WriteFailure.busy(retryAfter: response.retryAfter.map { .seconds($0) })
    default: return LiveError.status(response.statusCode)
    }
  }
}

/// Why an answer of the server says nothing about the write: it may have been done.
package enum LiveError: Error, Equatable, Sendable {
  /// A status that may come before or after the work.
  case status(Int)
  /// The answer is not what this library sends.
  case unreadable
}
