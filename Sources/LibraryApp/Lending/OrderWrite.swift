// An order as a remote write: what its body and its receipt hold, and how the library is asked.

import Foundation
import Millrace

extension Write {
  /// The order with this intent, frozen: the same order has the same bytes.
  package init(_ order: Order, intent: Intent) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    self.init("order", intent: intent, body: Array(try encoder.encode(order)))
  }
}

extension WriteEntry {
  /// What was lent, once the library has accepted the order.
  package func loans() throws -> [Receipt] {
    try JSONDecoder().decode([Receipt].self, from: Data(receipt))
  }
}

/// Sends orders to a library. The key of the intent goes along, so that an order which is sent again
/// is the same order there.
struct OrderService: WriteService {
  let service: any LibraryService
  let wallet: Wallet

  func validate(_ write: Write, for account: Account) async throws {
    if try order(of: write).basket.isEmpty {
      throw WriteFailure.rejected("\(LibraryError.nothingToCheckOut)")
    }
  }

  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    guard let credential = await wallet.credential(for: session) else {
      throw WriteFailure.signedOut
    }
    let order = try order(of: write)
    do {
      let receipts = try await service.desk(for: credential)
        .checkOut(order.basket, at: order.branch, key: RequestKey(write.intent.key))
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

  /// The library has no such question; the order sent again is the question.
  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus { .unseen }

  private func order(of write: Write) throws -> Order {
    do { return try JSONDecoder().decode(Order.self, from: Data(write.body)) } catch {
      throw WriteFailure.rejected("it is no order: \(error)")
    }
  }
}
