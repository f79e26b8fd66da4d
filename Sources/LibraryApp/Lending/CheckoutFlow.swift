// Lending a whole basket, in three steps and one result. Written with closures: each step's output
// says what is shown next, and the path is read off the slots. The order itself is a write: once it
// is placed it goes its way, whatever becomes of this flow.

import Millrace
import Observation

/// Collects books, asks for a branch, shows the order and places it.
@MainActor @Observable
package final class CheckoutFlow: Flow {
  package enum Output: Sendable, Equatable { case placed([Receipt]), left }
  package enum Step: Sendable, Equatable { case basket, branch, review }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let books: Catalogue
  @ObservationIgnored private let keys: RequestKeys
  /// One order for all taps, until the library has said no to it.
  @ObservationIgnored private var intent: Intent
  @ObservationIgnored package let basketStep = Slot<BasketStep>()
  @ObservationIgnored package let branchStep = Slot<BranchStep>()
  @ObservationIgnored package let reviewStep = Slot<ReviewStep>()

  /// Why the order was not placed, for the user.
  package private(set) var notice: String?

  /// Makes the flow.
  package init(scope: FlowScope<Output>, books: Catalogue, keys: RequestKeys) {
    self.scope = scope
    self.books = books
    self.keys = keys
    intent = keys.nextIntent()
  }

  package func start() {
    scope.start(in: basketStep, as: .push) { [books] in
      BasketStep(scope: $0, books: books)
    } onOutput: { [self] basket in
      askBranch(basket)
    } onEnding: { [self] _ in
      scope.finish(.left)
    }
  }

  /// The steps that are shown, first to last: read off the tree.
  package var path: [Step] {
    var path: [Step] = []
    if basketStep.child != nil { path.append(.basket) }
    if branchStep.child != nil { path.append(.branch) }
    if reviewStep.child != nil { path.append(.review) }
    return path
  }

  private func askBranch(_ basket: [Book.ID]) {
    scope.start(in: branchStep, as: .push) {
      BranchStep(scope: $0)
    } onOutput: { [self] branch in
      review(Order(basket: basket, branch: branch))
    } onEnding: { [self] _ in
      // Going back takes along what was built on it.
      reviewStep.child?.dismiss()
    }
  }

  private func review(_ order: Order) {
    scope.start(in: reviewStep, as: .push) { [self] in
      ReviewStep(scope: $0, order: order) { [weak self] in self?.notice }
    } onOutput: { [self] _ in
      place(order)
    }
  }

  private func place(_ order: Order) {
    notice = nil
    scope.task("place the order") { [self] in
      do {
        let write = try Write(order, intent: intent)
        let entry = try await scope.write(write, until: .accepted)
        scope.finish(.placed(try entry.loans()))
      } catch WriteError.refused(.alreadyRunning) {
        // Another tap, and the first one waits already.
      } catch let error as WriteError {
        notice = userWords(for: error)
        if error.settlesIntent { intent = keys.nextIntent() }
      }
    }
  }
}

/// What is ordered, and where it is fetched.
package struct Order: Codable, Sendable, Equatable {
  package let basket: [Book.ID]
  package let branch: Branch

  package init(basket: [Book.ID], branch: Branch) {
    self.basket = basket
    self.branch = branch
  }
}

/// Collects books. Its output is the basket.
@MainActor @Observable
package final class BasketStep: Flow {
  @ObservationIgnored package let scope: FlowScope<[Book.ID]>
  package let books: Catalogue
  package private(set) var basket: [Book.ID] = []

  package init(scope: FlowScope<[Book.ID]>, books: Catalogue) {
    self.scope = scope
    self.books = books
  }

  /// Puts a book in, or takes it out again.
  package func toggle(_ id: Book.ID) {
    guard scope.isCurrent, books[id] != nil else { return }
    if let place = basket.firstIndex(of: id) { basket.remove(at: place) } else { basket.append(id) }
  }

  package func next() { if !basket.isEmpty { scope.emit(basket) } }
}

/// Asks where the books are fetched. Its output is the branch.
@MainActor
package final class BranchStep: Flow {
  package let scope: FlowScope<Branch>
  package let branches = Branch.allCases

  package init(scope: FlowScope<Branch>) { self.scope = scope }

  package func choose(_ branch: Branch) { scope.emit(branch) }
}

/// Shows the order. Its output is the user's word that it is right.
@MainActor
package final class ReviewStep: Flow {
  package enum Output: Sendable, Equatable { case place }

  package let scope: FlowScope<Output>
  package let order: Order
  private let readNotice: @MainActor () -> String?

  /// Makes the step. `notice` tells why the order was not placed.
  package init(
    scope: FlowScope<Output>, order: Order, notice: @escaping @MainActor () -> String?
  ) {
    self.scope = scope
    self.order = order
    readNotice = notice
  }

  /// Why the order was not placed, for the user.
  package var notice: String? { readNotice() }

  package func place() { scope.emit(.place) }
}
