// The screen of a signed-out window: a card and a PIN, or the way to become a member.

import Millrace
import Observation

/// Asks for a card and signs in. It ends when the window's root follows the new session.
@MainActor @Observable
package final class SignInFlow: Flow {
  @ObservationIgnored package let scope: FlowScope<Never>
  @ObservationIgnored private let service: any LibraryService
  @ObservationIgnored private let wallet: Wallet
  @ObservationIgnored package let onboarding = Slot<OnboardingFlow>(.keep)

  package var number = ""
  package var pin = ""
  package private(set) var isSigningIn = false
  /// Why the last try failed, for the user.
  package private(set) var notice: String?

  package init(scope: FlowScope<Never>, service: any LibraryService, wallet: Wallet) {
    self.scope = scope
    self.service = service
    self.wallet = wallet
  }

  package var canSignIn: Bool { !number.isEmpty && !pin.isEmpty && !isSigningIn }

  /// Fills in the number of a card, unless the user has begun to type.
  package func fillIn(_ number: String) { if self.number.isEmpty { self.number = number } }

  /// Signs in with this card.
  package func signIn(with card: LibraryCard) {
    number = card.number
    pin = card.pin
    signIn()
  }

  /// Signs in with what was typed. A second tap while the library is asked does nothing.
  package func signIn() {
    guard scope.isCurrent, canSignIn else { return }
    let card = LibraryCard(number: number, pin: pin)
    isSigningIn = true
    notice = nil
    scope.perform("sign in", .first) { [service] in
      try await service.signIn(with: card)
    } then: { [self] result in
      isSigningIn = false
      switch result {
      case .success(let credential):
        wallet.keep(credential, of: card)
        scope.signIn(credential.member.account, credential: credential.bytes)
      case .failure(let error):
        notice = userWords(for: error)
      }
    }
  }

  /// Shows the way to become a member; its card is filled in and used.
  package func join() {
    scope.start(in: onboarding, as: .cover) { [service] in
      OnboardingFlow(scope: $0, service: service)
    } onEnding: { [self] ending in
      guard case .finished(.joined(let card)) = ending else { return }
      signIn(with: card)
    }
  }
}
