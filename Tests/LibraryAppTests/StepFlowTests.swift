// The flows of several steps: their paths, going back, and their one result.

import LibraryApp
import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct StepFlowTests {
  private func openCheckout(
    _ lab: Lab
  ) async throws -> (session: SignedInApp, checkout: CheckoutFlow, basket: BasketStep) {
    let session = try await SignedInApp(lab)
    session.catalogue.checkOut()
    let checkout = try #require(session.catalogue.checkout.child?.flow)
    return (session, checkout, try #require(checkout.basketStep.child?.flow))
  }

  // Prevents: an order for books that were taken out again, or two orders for two taps.
  @Test func checkout_placesOneOrder() async throws {
    try await Lab.run { lab in
      let (session, checkout, basket) = try await openCheckout(lab)
      basket.next()
      #expect(checkout.path == [.basket])
      for id in [11, 12, 13, 12, 14] as [Book.ID] { basket.toggle(id) }
      basket.next()
      checkout.branchStep.child?.flow?.choose(.station)
      #expect(checkout.path == [.basket, .branch, .review])
      let review = try #require(checkout.reviewStep.child?.flow)
      #expect(review.order == Order(basket: [11, 13], branch: .station))
      review.place()
      review.place()
      await lab.settle()
      #expect(session.account.loans.value?.map(\.book) == [11, 13])
      #expect(session.app.runtime.counts.flows == 4)
      #expect(session.app.runtime.refusals == [.alreadyRunning: 1])
    }
  }

  // Prevents: a review that shows a basket which was changed under it.
  @Test func goingBack_takesAlongWhatFollowed() async throws {
    try await Lab.run { lab in
      let (_, checkout, basket) = try await openCheckout(lab)
      basket.toggle(11)
      basket.next()
      checkout.branchStep.child?.flow?.choose(.main)
      checkout.branchStep.child?.dismiss()
      #expect(checkout.path == [.basket])
      basket.toggle(12)
      basket.next()
      #expect(checkout.path == [.basket, .branch])
      checkout.branchStep.child?.flow?.choose(.harbour)
      let review = try #require(checkout.reviewStep.child?.flow)
      #expect(review.order == Order(basket: [11, 12], branch: .harbour))
    }
  }

  // Prevents: a flow of steps that stays behind when its first screen is left.
  @Test func leavingTheFirstStep_endsTheCheckout() async throws {
    try await Lab.run { lab in
      let (session, checkout, _) = try await openCheckout(lab)
      checkout.basketStep.child?.dismiss()
      #expect(!checkout.scope.isCurrent)
      #expect(session.tabs.activity.isEmpty)
      #expect(session.app.runtime.counts.flows == 4)
    }
  }

  // Prevents: an order whose answer was lost being placed twice, or given up.
  @Test func orderWithoutAnswer_isTheSameOrderAgain() async throws {
    try await Lab.run { lab in
      let (session, checkout, basket) = try await openCheckout(lab)
      let gate = try hold(session, checkout, basket)
      await lab.settle()
      let entry = try #require(session.app.runtime.writes?.entries.first)
      gate.fail(LibraryError.noAnswer)
      await lab.settle()
      #expect(session.app.runtime.writes?.entry(for: entry.write.intent)?.phase == .unknown)
      #expect(checkout.scope.isCurrent)
      await lab.advance(by: .seconds(60))
      #expect(!checkout.scope.isCurrent)
      #expect(session.account.loans.value?.map(\.book) == [11])
      #expect(session.app.runtime.writes?.entry(for: entry.write.intent)?.phase == .confirmed)
    }
  }

  // Prevents: an order that goes with its screen, or one that goes out for somebody else.
  @Test func placedOrder_outlivesTheCheckout() async throws {
    try await Lab.run { lab in
      let (session, checkout, basket) = try await openCheckout(lab)
      let gate = try hold(session, checkout, basket)
      await lab.settle()
      session.catalogue.checkout.child?.dismiss()
      #expect(!checkout.scope.isCurrent)
      gate.open()
      await lab.settle()
      #expect(session.app.runtime.writes?.entries.map(\.phase) == [.confirmed])
      session.account.load()
      await lab.settle()
      #expect(session.account.loans.value?.map(\.book) == [11])
    }
  }

  // Prevents: a second order made of a first one that is under way.
  @Test func orderUnderWay_cannotBeChanged() async throws {
    try await Lab.run { lab in
      let (session, checkout, basket) = try await openCheckout(lab)
      let gate = try hold(session, checkout, basket)
      await lab.settle()
      checkout.branchStep.child?.dismiss()
      basket.toggle(13)
      try place(checkout, basket)
      await lab.settle()
      #expect(checkout.scope.isCurrent && checkout.notice?.contains("cannot be changed") == true)
      gate.open()
      await lab.settle()
      #expect(!checkout.scope.isCurrent)
      #expect(session.account.loans.value?.map(\.book) == [11])
    }
  }

  // Prevents: a no that closes the checkout, and a changed order that is taken for the old one.
  @Test func orderThatIsTurnedDown_canBeChanged() async throws {
    try await Lab.run { lab in
      let (session, checkout, basket) = try await openCheckout(lab)
      let other = try await session.library.register(name: "Grace", pin: "1906")
      let desk = session.library.desk(for: try await session.library.signIn(with: other))
      _ = try await desk.lend(11, key: RequestKey("other"))
      basket.toggle(11)
      try place(checkout, basket)
      await lab.settle()
      let notice = try #require(checkout.reviewStep.child?.flow?.notice)
      #expect(notice.hasPrefix("Book 11 cannot be lent: it is on loan"))
      #expect(checkout.path == [.basket, .branch, .review])
      checkout.branchStep.child?.dismiss()
      basket.toggle(11)
      basket.toggle(13)
      try place(checkout, basket)
      await lab.settle()
      #expect(!checkout.scope.isCurrent)
      #expect(session.account.loans.value?.map(\.book) == [13])
    }
  }

  /// Places an order for book 11, whose answer is held.
  private func hold(
    _ session: SignedInApp, _ checkout: CheckoutFlow, _ basket: BasketStep
  ) throws -> AnswerGate {
    basket.toggle(11)
    let gate = session.script.hold(.checkOut)
    try place(checkout, basket)
    return gate
  }

  /// Goes on from the basket, and places what is in it.
  private func place(_ checkout: CheckoutFlow, _ basket: BasketStep) throws {
    basket.next()
    checkout.branchStep.child?.flow?.choose(.main)
    try #require(checkout.reviewStep.child?.flow).place()
  }

  private func openOnboarding(
    _ lab: Lab
  ) async throws -> (probe: FlowProbe<OnboardingFlow>, name: TextStep) {
    let library = EmbeddedLibrary(
      catalogue: try Catalogue.builtIn(), today: try #require(CalendarDate("2024-05-02")))
    let probe = FlowProbe(clock: lab.clock) { OnboardingFlow(scope: $0, service: library) }
    await lab.settle()
    return (probe, try #require(probe.flow.nameStep.child?.flow))
  }

  // Prevents: steps that are skipped or repeated, and a result that comes twice.
  @Test func onboarding_reportsOneCard() async throws {
    try await Lab.run { lab in
      let (probe, name) = try await openOnboarding(lab)
      name.text = " \n"
      name.next()
      await lab.settle()
      #expect(probe.flow.path == [.name])
      name.text = "Ada"
      name.next()
      await lab.settle()
      #expect(probe.flow.path == [.name, .pin])
      let pin = try #require(probe.flow.pinStep.child?.flow)
      pin.text = "1815"
      pin.next()
      await lab.settle()
      #expect(probe.outputs == [.joined(LibraryCard(number: "L-1", pin: "1815"))])
      #expect(probe.ending?.kind == .finished)
      #expect(probe.runtime.counts.flows == 0)
    }
  }

  // Prevents: "back" that leaves the whole flow, and a refusal that loses the name.
  @Test func onboarding_goesBackOneStep() async throws {
    try await Lab.run { lab in
      let (probe, name) = try await openOnboarding(lab)
      name.text = "Ada"
      name.next()
      await lab.settle()
      probe.flow.pinStep.child?.flow?.back()
      await lab.settle()
      #expect(probe.flow.path == [.name])
      name.next()
      await lab.settle()
      let pin = try #require(probe.flow.pinStep.child?.flow)
      pin.text = "12"
      pin.next()
      await lab.settle()
      #expect(probe.flow.notice == "\(LibraryError.unusablePIN)")
      #expect(probe.flow.path == [.name])
      #expect(name.text == "Ada")
      name.next()
      await lab.settle()
      let again = try #require(probe.flow.pinStep.child?.flow)
      again.text = "1815"
      again.next()
      again.back()
      await lab.settle()
      #expect(probe.flow.path == [.name], "a PIN that was taken back registers nobody")
      #expect(probe.outputs.isEmpty)
      name.back()
      await lab.settle()
      #expect(probe.outputs == [.left])
    }
  }
}
