// Loans and orders as remote writes: what their bodies and receipts hold, and how the library is asked.

import Foundation
import Millrace

/// One book that is lent.
package struct Loan: Codable, Sendable, Equatable {
  package let book: Book.ID

  package init(book: Book.ID) { self.book = book }
}

extension Write {
  /// The loan with this intent, frozen.
  package init(_ loan: Loan, intent: Intent) throws {
    try self.init(LoanService.loan, loan, intent)
  }

  /// The order with this intent, frozen.
  package init(_ order: Order, intent: Intent) throws {
    try self.init(LoanService.order, order, intent)
  }

  /// The same content has the same bytes.
  private init(_ name: String, _ content: some Encodable, _ intent: Intent) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    self.init(name, intent: intent, body: Array(try encoder.encode(content)))
  }
}

extension WriteError {
  /// Whether the intent has had its answer: what the user asks for next needs a new one. One that could
  /// not be kept was never sent, and may be submitted again.
  var settlesIntent: Bool {
    switch self {
    case .ended(.refused, _), .refused, .unknownIntent: false
    case .ended: true
    }
  }
}

extension WriteEntry {
  /// What was lent, once the library has accepted the loan or order.
  package func loans() throws -> [Receipt] {
    try JSONDecoder().decode([Receipt].self, from: Data(receipt))
  }
}

/// Sends loans and orders to a library. The key of the intent goes along, so that one which is sent
/// again is the same one there.
struct LoanService: WriteService {
  static let loan = "loan"
  static let order = "order"

  let service: any LibraryService
  let wallet: Wallet

  /// What a write asks for.
  private enum Request {
    case loan(Loan)
    case order(Order)
  }

  func validate(_ write: Write, for account: Account) async throws {
    if case .order(let order) = try request(of: write), order.basket.isEmpty {
      throw WriteFailure.rejected("\(LibraryError.nothingToCheckOut)")
    }
  }

  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    let request = try request(of: write)
    return try await ask(write, in: session) { desk, key in
      let receipts: [Receipt]
      switch request {
      case .loan(let loan): receipts = [try await desk.lend(loan.book, key: key)]
      case .order(let order):
        receipts = try await desk.checkOut(order.basket, at: order.branch, key: key)
      }
      let bytes = try Self.bytes(receipts)
      return service.confirmsLater ? .accepted(receipt: bytes) : .confirmed(receipt: bytes)
    }
  }

  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    try await ask(write, in: session) { desk, key in
      switch try await desk.answer(for: key) {
      case .unseen: .unseen
      case .accepted(let receipts): .seen(.accepted(receipt: try Self.bytes(receipts)))
      case .confirmed(let receipts): .seen(.confirmed(receipt: try Self.bytes(receipts)))
      }
    }
  }

  /// Asks the library, and says what is known after an error of its own.
  private func ask<Answer: Sendable>(
    _ write: Write, in session: Session,
    _ question: @concurrent @Sendable (any LendingLibrary, RequestKey) async throws -> Answer
  ) async throws -> Answer {
    guard let credential = await wallet.credential(for: session) else {
      throw WriteFailure.signedOut
    }
    do {
      return try await question(service.desk(for: credential), RequestKey(write.intent.key))
    } catch let error as LibraryError {
      switch error {
      case .unreachable: throw WriteFailure.notDelivered
      case .signedOut: throw WriteFailure.signedOut
      case .busy(let seconds): throw WriteFailure.busy(retryAfter: .seconds(seconds))
      // It may have been done: the runtime asks again.
      case .noAnswer: throw error
      default: throw WriteFailure.rejected("\(error)")
      }
    }
  }

  private static func bytes(_ receipts: [Receipt]) throws -> [UInt8] {
    Array(try JSONEncoder().encode(receipts))
  }

  private func request(of write: Write) throws -> Request {
    let body = Data(write.body)
    do {
      switch write.name {
      case Self.loan: return .loan(try JSONDecoder().decode(Loan.self, from: body))
      case Self.order: return .order(try JSONDecoder().decode(Order.self, from: body))
      default: throw WriteFailure.rejected("The library cannot do this (\(write.name)).")
      }
    } catch is DecodingError {
      throw WriteFailure.rejected("The library cannot read this \(write.name). Begin anew.")
    }
  }
}
