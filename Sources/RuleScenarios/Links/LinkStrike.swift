// What strikes between any two steps of a scenario of links: one event, or two that follow each other.

import Millrace
import MillraceTesting
import RaceLab

/// What strikes.
package enum Strike: String, CaseIterable, Sendable {
  case nothing
  case signOut, otherAccount, lock, modal, protectedModal, gesture, newerLink, closedWindow
  case signOutAndIn, lockAndUnlock, modalAndEnd, gestureAndEnd
}

extension LinkStage {
  /// Lets the strike come at any time from now on; its second half at any time after the first.
  func arm(_ strike: Strike) {
    switch strike {
    case .nothing: break
    case .signOut: lab.adversary("sign out") { self.runtime.signOut() }
    case .otherAccount: lab.adversary("B signs in") { self.runtime.signIn(Account("B")) }
    case .lock: lab.adversary("lock") { self.lock.isLocked = true }
    case .modal: lab.adversary("modal") { self.home?.openModal() }
    case .protectedModal:
      lab.adversary("protected modal") { self.home?.openModal(isProtected: true) }
    case .gesture: lab.adversary("gesture begins") { self.beginGesture() }
    case .newerLink: lab.adversary("newer link") { self.deliver("tea://chats/new") }
    case .closedWindow: lab.adversary("close the window") { self.window.close() }
    case .signOutAndIn:
      let account = Account(lab.flip() ? "B" : "A")
      then("sign out", { self.runtime.signOut() }, "sign in") { self.runtime.signIn(account) }
    case .lockAndUnlock:
      then("lock", { self.lock.isLocked = true }, "unlock") { self.lock.unlockNow() }
    case .modalAndEnd:
      let isProtected = lab.flip()
      lab.adversary("modal") {
        let modal = self.home?.openModal(isProtected: isProtected)
        self.lab.adversary("modal ends") { modal?.flow?.scope.finish("done") }
      }
    case .gestureAndEnd:
      then("gesture begins", { self.beginGesture() }, "gesture ends") { self.endGesture() }
    }
  }

  private func then(
    _ first: String, _ event: @escaping @MainActor () -> Void,
    _ second: String, _ next: @escaping @MainActor () -> Void
  ) {
    lab.adversary(first) {
      event()
      self.lab.adversary(second) { next() }
    }
  }

  private func beginGesture() {
    if let top = window.navigation.top { host.beginGesture(top.id) }
  }

  /// The user lets go, or goes through with it.
  func endGesture() {
    guard case .gesture(let id)? = window.transition else { return }
    if lab.flip(), isSwipedAway(id) {
      host.completeGesture(id)
    } else {
      host.cancelGesture(id)
    }
  }

  /// False for a root, a tab and the lock: these no gesture takes away.
  private func isSwipedAway(_ id: FlowID) -> Bool {
    switch window.flow(id) {
    case let place as PlaceFlow: ![.root, .tab].contains(place.route.presentation)
    case let flow: flow is ModalFlow
    }
  }
}
