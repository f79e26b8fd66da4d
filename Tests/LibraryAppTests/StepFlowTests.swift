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

  // Prevents: an order that fails and is placed again under another key.
  @Test func orderWithoutAnswer_isTheSameOrderAgain() async throws {
    try await Lab.run { lab in
      let (session, checkout, basket) = try await openCheckout(lab)
      basket.toggle(11)
      basket.next()
      checkout.branchStep.child?.flow?.choose(.main)
      let gate = session.script.hold(.checkOut)
      checkout.reviewStep.child?.flow?.place()
      await lab.settle()
      gate.fail(LibraryError.noAnswer)
      await lab.settle()
      #expect(checkout.notice == "\(LibraryError.noAnswer)")
      checkout.reviewStep.child?.flow?.place()
      await lab.settle()
      #expect(session.account.loans.value?.map(\.book) == [11])
    }
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
