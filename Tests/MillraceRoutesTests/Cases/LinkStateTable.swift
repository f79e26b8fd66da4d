// Every state of the app against every kind of link: the verdict at once, what the host is asked for
// meanwhile, the verdict when the state is over, and the places that are shown then.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

enum AppState: String, CaseIterable, Sendable {
  case undetermined, signedOut, otherAccount, locked, modalProtected, modalFree, gesture, transition
  case atRest
}

enum LinkKind: String, CaseIterable, Sendable {
  case place = "tea://orders/7"
  case tab = "tea://chats"
  case alreadyShown = "tea://orders"
  case ofThisAccount = "tea://orders/7?account=A"
  case notPermitted = "tea://orders/403"
  case notThere = "tea://orders/405"
  case wrong = "tea://orders/x"
  case unknownAccount = "tea://orders/7?account=C"
  case otherRoot = "tea://help"
}

@MainActor @Suite struct LinkStateTable {
  // Fault: a combination that nobody thought of loses the link, breaks the lock or half shows it.
  @Test func everyState_againstEveryLink() async throws {
    var lines: [String] = []
    for state in AppState.allCases {
      lines.append("\(state.rawValue)")
      for kind in LinkKind.allCases {
        lines.append("  " + (try await LinkStateTable.row(state, kind)))
      }
    }
    let found = lines.joined(separator: "\n") + "\n"
    #expect(found == LinkStateTable.expected, "\(found)")
  }

  private static func row(_ state: AppState, _ kind: LinkKind) async throws -> String {
    try await Lab.run { lab in
      let stage = LinkStage(lab)
      if state != .undetermined {
        let account = state == .otherAccount ? "B" : "A"
        stage.stored.open(
          with: state == .signedOut ? nil : StoredSession(account: Account(account)))
        await stage.answer()
      }
      let end = await enter(state, stage)
      _ = stage.commands()
      let link = stage.deliver(kind.rawValue)
      await stage.step()
      let first = word(link.verdict)
      if link.verdict != .routed {
        try lab.require(stage.commands().isEmpty, "the host was asked before it was routed")
      }
      end()
      await stage.answer()
      await stage.answer()
      let last = word(link.verdict)
      let verdicts = first == last ? first : "\(first) → \(last)"
      let commands = stage.commands().map(word).joined(separator: ", ")
      return "\(kind): \(verdicts); [\(commands)]; \(shown(stage.window))"
    }
  }

  /// The places on top of each other along the selected tabs; what is none by its type.
  private static func shown(_ window: FlowWindow) -> String {
    func names(_ stack: Navigation.Stack) -> [String] {
      stack.screens.flatMap { screen in
        let place = (window.flow(screen.id) as? PlaceFlow)?.route
        return [place.map { "\($0)" } ?? screen.name] + (screen.selectedStack.map(names) ?? [])
      }
    }
    return window.navigation.layers.flatMap { names($0.stack) }.joined(separator: " ")
  }

  /// Brings the app into the state; returns what brings it out.
  private static func enter(
    _ state: AppState, _ stage: LinkStage
  ) async -> @MainActor () -> Void {
    switch state {
    case .undetermined:
      return { stage.stored.open(with: StoredSession(account: Account("A"))) }
    case .signedOut: return { _ = stage.runtime.signIn(Account("A")) }
    case .otherAccount: return { stage.accounts.user.open(with: true) }
    case .locked:
      stage.lock.isLocked = true
      stage.lock.show()
      await stage.answer()
      return { stage.lock.user.open(with: true) }
    case .modalProtected:
      let modal = stage.home?.openModal(isProtected: true)
      await stage.answer()
      return { modal?.flow?.scope.finish("sent") }
    case .modalFree:
      stage.home?.openModal()
      await stage.answer()
      return {}
    case .gesture:
      let search = stage.home?.open(.search("a", nil))
      await stage.answer()
      if let search { stage.host.beginGesture(search.id) }
      return { if let search { stage.host.completeGesture(search.id) } }
    case .transition:
      stage.home?.open(.search("a", nil))
      await stage.step()
      return { stage.host.answerAll() }
    case .atRest: return {}
    }
  }

  private static func word(_ verdict: LinkVerdict) -> String {
    switch verdict {
    case .deciding: "deciding"
    case .routed: "routed"
    case .superseded: "superseded"
    case .parked(let reason): "parked(\("\(reason.kind)"))"
    case .rejected(let why): "rejected(\("\(why.kind)"))"
    }
  }

  private static func word(_ command: HostCommand) -> String {
    switch command {
    case .show(_, let presentation, _): "show \(presentation)"
    case .dismiss: "dismiss"
    case .pop: "pop"
    case .replace: "replace"
    case .select: "select"
    }
  }

  private static let expected = """
    undetermined
      place: parked(sessionUndetermined) → routed; [replace, show tab, show tab, show push]; home orders order(7)
      tab: parked(sessionUndetermined) → routed; [replace, show tab, show tab, select]; home chats
      alreadyShown: parked(sessionUndetermined) → routed; [replace, show tab, show tab]; home orders
      ofThisAccount: parked(sessionUndetermined) → routed; [replace, show tab, show tab, show push]; home orders order(7)
      notPermitted: parked(sessionUndetermined) → rejected(notPermitted); [replace, show tab, show tab]; home orders
      notThere: parked(sessionUndetermined) → rejected(notFound); [replace, show tab, show tab]; home orders
      wrong: rejected(unreadable); [replace, show tab, show tab]; home orders
      unknownAccount: parked(sessionUndetermined) → rejected(unknownAccount C); [replace, show tab, show tab]; home orders
      otherRoot: parked(sessionUndetermined) → parked(rootMissing); [replace, show tab, show tab]; home orders
    signedOut
      place: parked(needsSignIn) → routed; [replace, show tab, show tab, show push]; home orders order(7)
      tab: parked(needsSignIn) → routed; [replace, show tab, show tab, select]; home chats
      alreadyShown: parked(needsSignIn) → routed; [replace, show tab, show tab]; home orders
      ofThisAccount: parked(needsSignIn) → routed; [replace, show tab, show tab, show push]; home orders order(7)
      notPermitted: parked(needsSignIn) → rejected(notPermitted); [replace, show tab, show tab]; home orders
      notThere: parked(needsSignIn) → rejected(notFound); [replace, show tab, show tab]; home orders
      wrong: rejected(unreadable); [replace, show tab, show tab]; home orders
      unknownAccount: rejected(unknownAccount C); [replace, show tab, show tab]; home orders
      otherRoot: parked(rootMissing); [replace, show tab, show tab]; home orders
    otherAccount
      place: routed; [show push]; home orders order(7)
      tab: routed; [select]; home chats
      alreadyShown: routed; []; home orders
      ofThisAccount: parked(needsAccountSwitch A) → routed; [replace, show tab, show tab, show push]; home orders order(7)
      notPermitted: rejected(notPermitted); []; home orders
      notThere: rejected(notFound); []; home orders
      wrong: rejected(unreadable); []; home orders
      unknownAccount: rejected(unknownAccount C); []; home orders
      otherRoot: parked(rootMissing); []; home orders
    locked
      place: parked(locked) → routed; [dismiss, show push]; home orders order(7)
      tab: parked(locked) → routed; [dismiss, select]; home chats
      alreadyShown: parked(locked) → routed; [dismiss]; home orders
      ofThisAccount: parked(locked) → routed; [dismiss, show push]; home orders order(7)
      notPermitted: parked(locked) → rejected(notPermitted); [dismiss]; home orders
      notThere: parked(locked) → rejected(notFound); [dismiss]; home orders
      wrong: rejected(unreadable); []; home orders PlainFlow
      unknownAccount: rejected(unknownAccount C); []; home orders PlainFlow
      otherRoot: parked(rootMissing); []; home orders PlainFlow
    modalProtected
      place: parked(modalBusy) → routed; [dismiss, show push]; home orders order(7)
      tab: parked(modalBusy) → routed; [dismiss, select]; home chats
      alreadyShown: parked(modalBusy) → routed; [dismiss]; home orders
      ofThisAccount: parked(modalBusy) → routed; [dismiss, show push]; home orders order(7)
      notPermitted: rejected(notPermitted); [dismiss]; home orders
      notThere: rejected(notFound); [dismiss]; home orders
      wrong: rejected(unreadable); [dismiss]; home orders
      unknownAccount: rejected(unknownAccount C); [dismiss]; home orders
      otherRoot: parked(rootMissing); [dismiss]; home orders
    modalFree
      place: routed; [dismiss, show push]; home orders order(7)
      tab: routed; [dismiss, select]; home chats
      alreadyShown: routed; [dismiss]; home orders
      ofThisAccount: routed; [dismiss, show push]; home orders order(7)
      notPermitted: rejected(notPermitted); []; home orders ModalFlow
      notThere: rejected(notFound); []; home orders ModalFlow
      wrong: rejected(unreadable); []; home orders ModalFlow
      unknownAccount: rejected(unknownAccount C); []; home orders ModalFlow
      otherRoot: parked(rootMissing); []; home orders ModalFlow
    gesture
      place: parked(transition) → routed; [show push]; home orders order(7)
      tab: parked(transition) → routed; [select]; home chats
      alreadyShown: parked(transition) → routed; []; home orders
      ofThisAccount: parked(transition) → routed; [show push]; home orders order(7)
      notPermitted: parked(transition) → rejected(notPermitted); []; home orders
      notThere: parked(transition) → rejected(notFound); []; home orders
      wrong: rejected(unreadable); []; home orders
      unknownAccount: rejected(unknownAccount C); []; home orders
      otherRoot: parked(transition) → parked(rootMissing); []; home orders
    transition
      place: parked(transition) → routed; [pop, show push]; home orders order(7)
      tab: parked(transition) → routed; [pop, select]; home chats
      alreadyShown: parked(transition) → routed; [pop]; home orders
      ofThisAccount: parked(transition) → routed; [pop, show push]; home orders order(7)
      notPermitted: parked(transition) → rejected(notPermitted); []; home orders search("a", nil)
      notThere: parked(transition) → rejected(notFound); []; home orders search("a", nil)
      wrong: rejected(unreadable); []; home orders search("a", nil)
      unknownAccount: rejected(unknownAccount C); []; home orders search("a", nil)
      otherRoot: parked(transition) → parked(rootMissing); []; home orders search("a", nil)
    atRest
      place: routed; [show push]; home orders order(7)
      tab: routed; [select]; home chats
      alreadyShown: routed; []; home orders
      ofThisAccount: routed; [show push]; home orders order(7)
      notPermitted: rejected(notPermitted); []; home orders
      notThere: rejected(notFound); []; home orders
      wrong: rejected(unreadable); []; home orders
      unknownAccount: rejected(unknownAccount C); []; home orders
      otherRoot: parked(rootMissing); []; home orders

    """
}

extension ParkReason {
  fileprivate var kind: String {
    switch self {
    case .sessionUndetermined: "sessionUndetermined"
    case .needsSignIn: "needsSignIn"
    case .needsAccountSwitch(let account): "needsAccountSwitch \(account)"
    case .locked: "locked"
    case .modalBusy: "modalBusy"
    case .transition: "transition"
    case .windowMissing: "windowMissing"
    case .rootMissing: "rootMissing"
    }
  }
}

extension LinkRejection {
  fileprivate var kind: String {
    switch self {
    case .unreadable: "unreadable"
    case .unknownAccount(let account): "unknownAccount \(account)"
    case .notPermitted: "notPermitted"
    case .notFound: "notFound"
    default: "\(self)"
    }
  }
}
