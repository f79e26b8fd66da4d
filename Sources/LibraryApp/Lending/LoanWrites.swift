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
    guard let credential = await wallet.credential(for: session) else {
      throw WriteFailure.signedOut
    }
    let request = try request(of: write)
    let desk = service.desk(for: credential)
    let key = RequestKey(write.intent.key)
    do {
      let receipts: [Receipt]
      switch request {
      case .loan(let loan): receipts = [try await desk.lend(loan.book, key: key)]
      case .order(let order):
        receipts = try await desk.checkOut(order.basket, at: order.branch, key: key)
      }
      return .confirmed(receipt: Array(try JSONEncoder().encode(receipts)))
    } catch let error as LibraryError {
      switch error {
      case .unreachable: throw WriteFailure.notDelivered
      case .signedOut: throw WriteFailure.signedOut
      // It may have been done: the runtime asks again.
      case .noAnswer: throw error
      default: throw WriteFailure.rejected("\(error)")
      }
    }
  }

  /// The library has no such question; the write sent again is the question.
  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus { .unseen }

  private func request(of write: Write) throws -> Request {
    let body = Data(write.body)
    do {
      switch write.name {
      case Self.loan: return .loan(try JSONDecoder().decode(Loan.self, from: body))
      case Self.order: return .order(try JSONDecoder().decode(Order.self, from: body))
      default: throw WriteFailure.rejected("the library knows no write \(write.name)")
      }
    } catch let error as DecodingError {
      throw WriteFailure.rejected("it is no \(write.name): \(error)")
    }
  }
}
