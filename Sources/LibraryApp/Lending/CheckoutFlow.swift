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
  @ObservationIgnored package private(set) var intent: Intent
  @ObservationIgnored private let isRestored: Bool
  @ObservationIgnored package let basketStep = Slot<BasketStep>()
  @ObservationIgnored package let branchStep = Slot<BranchStep>()
  @ObservationIgnored package let reviewStep = Slot<ReviewStep>()

  /// Why the order was not placed, for the user.
  package private(set) var notice: String?

  /// True while an order that was placed before the form was restored is on its way.
  package private(set) var isUnderWay = false

  /// Makes the flow.
  ///
  /// - Parameter intent: that of a form which was open before; nil for a new form.
  package init(
    scope: FlowScope<Output>, books: Catalogue, keys: RequestKeys, intent: Intent? = nil
  ) {
    self.scope = scope
    self.books = books
    self.keys = keys
    isRestored = intent != nil
    self.intent = intent ?? keys.nextIntent()
  }

  package func start() {
    scope.start(in: basketStep, as: .push) { [books] in
      BasketStep(scope: $0, books: books)
    } onOutput: { [self] basket in
      askBranch(basket)
    } onEnding: { [self] _ in
      scope.finish(.left)
    }
    guard isRestored else { return }
    scope.task("an earlier order") { [self] in
      defer { isUnderWay = false }
      try await finish { try await underWay() }
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
    // What the user has ordered before comes first: it may be this order.
    guard !isUnderWay else { return }
    notice = nil
    scope.task("place the order") { [self] in
      try await finish {
        try await scope.write(Write(order, intent: intent), until: .accepted)
      }
    }
  }

  /// What comes of the order that was placed before the form was restored; nil if none was.
  private func underWay() async throws -> WriteEntry? {
    do {
      _ = try await scope.phase(of: intent, until: .validated)
    } catch WriteError.unknownIntent {
      return nil
    }
    isUnderWay = true
    notice = "Your order is on its way."
    return try await scope.phase(of: intent, until: .accepted)
  }

  private func finish(with order: @MainActor () async throws -> WriteEntry?) async throws {
    do {
      if let entry = try await order() { scope.finish(.placed(try entry.loans())) }
    } catch WriteError.refused(.alreadyRunning) {
      // Another tap, and the first one waits already.
    } catch let error as WriteError {
      notice = userWords(for: error)
      if error.settlesIntent { intent = keys.nextIntent() }
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
