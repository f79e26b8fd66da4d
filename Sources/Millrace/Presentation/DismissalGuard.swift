// A flow's say when the user wants to take it away. Keeps R27: it is asked only for a real attempt,
// one question at a time.
//
//   attempt ──▶ letGo: the flow ends    keep: nothing    ask ──▶ open ── discard ──▶ the flow ends
//                                                                 └────── stay ────▶ nothing

/// What a dismissal guard says.
public enum DismissalVerdict: Sendable, Equatable {
  /// The flow may be taken away.
  case letGo
  /// The user is to be asked.
  case ask
  /// The flow stays.
  case keep
}

/// What the user answers to "discard your changes?".
public enum DismissalAnswer: Sendable, Equatable {
  /// Take the flow away.
  case discard
  /// Leave all as it is.
  case stay
}

/// An open question about one flow. It is withdrawn when the flow ends: later answers do nothing.
@MainActor
public final class DismissalQuestion {
  private weak var node: AnyFlowNode?
  private var onDiscard: (@MainActor () -> Void)?

  init(_ node: AnyFlowNode, onDiscard: @escaping @MainActor () -> Void) {
    self.node = node
    self.onDiscard = onDiscard
  }

  /// True until it is answered or withdrawn.
  public var isOpen: Bool { node?.belongings?.dismissalGuard?.question === self }

  /// Answers. Refused for one that is not open any more.
  @discardableResult
  public func answer(_ answer: DismissalAnswer) -> Acceptance {
    guard isOpen, let node else {
      return node?.core.refuse(.secondAnswer, node) ?? .refused(.closed)
    }
    node.belongings?.dismissalGuard?.question = nil
    let onDiscard = onDiscard
    self.onDiscard = nil
    if answer == .discard { onDiscard?() }
    node.core.drain()
    return .accepted
  }
}

/// The guard of one flow.
@MainActor
final class DismissalGuard {
  let verdict: @MainActor () -> DismissalVerdict
  let ask: @MainActor (DismissalQuestion) -> Void
  /// The question that is open.
  var question: DismissalQuestion?

  init(
    _ verdict: @escaping @MainActor () -> DismissalVerdict,
    _ ask: @escaping @MainActor (DismissalQuestion) -> Void
  ) {
    self.verdict = verdict
    self.ask = ask
  }
}

extension FlowScope {
  /// Lets this flow have a say when the user wants to take it away. `Child.dismiss()`, replacement
  /// and sign-out do not ask. Both closures are released when the flow ends.
  ///
  /// - Parameters:
  ///   - verdict: asked once for each attempt, and not while a question is open.
  ///   - ask: shows the question after a verdict of `.ask`, and answers it.
  /// - Returns: refused if the flow has ended.
  @discardableResult
  public func guardDismissal(
    _ verdict: @escaping @MainActor () -> DismissalVerdict,
    ask: @escaping @MainActor (DismissalQuestion) -> Void
  ) -> Acceptance {
    guard node.isRunning else { return core.refuse(.workAfterEnd, node) }
    node.own().dismissalGuard = DismissalGuard(verdict, ask)
    node.screen?.display.changed()
    return .accepted
  }

  /// The same with the question as an alert of this flow.
  @discardableResult
  public func guardDismissal(
    asking alert: Alert<DismissalAnswer>, _ verdict: @escaping @MainActor () -> DismissalVerdict
  ) -> Acceptance {
    guardDismissal(verdict) { [self] question in
      ask(alert) { question.answer($0 ?? .stay) }
    }
  }

  /// Takes the guard away, with its question.
  public func removeDismissalGuard() {
    node.belongings?.dismissalGuard = nil
    node.screen?.display.changed()
  }
}

extension WindowDisplay {
  enum GuardAnswer { case letGo, keep(FlowID), ask(FlowID) }

  /// The host has stopped an attempt of the user.
  func attemptBlocked(_ id: FlowID) -> Bool {
    guard let screen = screens[id], screen.isOnHost else { return leaving[id] != nil }
    let held = HeldCommand(
      command: .dismiss(id), origin: .user, session: core.sessions.open?.value)
    core.deliver { [self] in
      guard screen.isLive else { return }
      carryOut(held)
      pump()
    }
    return true
  }

  /// Asks the guards of all that a command of the user takes away, the highest first.
  func askGuards(above lowest: Screen, _ held: HeldCommand) -> GuardAnswer {
    for screen in leaving(with: lowest) where !held.passed.contains(screen.id) {
      guard let node = screen.node, let asked = node.belongings?.dismissalGuard else { continue }
      if asked.question != nil { return .ask(screen.id) }
      core.turnDepth += 1
      let verdict = asked.verdict()
      core.turnDepth -= 1
      switch verdict {
      case .letGo: continue
      case .keep: return .keep(screen.id)
      case .ask:
        open(asked, of: node, screen.id, held)
        return .ask(screen.id)
      }
    }
    return .letGo
  }

  private func open(
    _ asked: DismissalGuard, of node: AnyFlowNode, _ id: FlowID, _ held: HeldCommand
  ) {
    let question = DismissalQuestion(node) { [self] in
      var held = held
      held.passed.insert(id)
      carryOut(held)
      pump()
    }
    asked.question = question
    core.deliver { if question.isOpen { asked.ask(question) } }
  }

  /// The screens that would leave with this one, the highest first.
  private func leaving(with lowest: Screen) -> [Screen] {
    var found: [FlowID: Screen] = [:]
    var nodes: [Owner] = lowest.node.map { [$0] } ?? []
    while let node = nodes.popLast() {
      if let screen = node.screen, found.updateValue(screen, forKey: screen.id) == nil {
        for flow in screen.restingFlows where found[FlowID(rawValue: flow.number)] == nil {
          nodes.append(flow)
        }
      }
      var child = node.youngestChild
      while let current = child {
        nodes.append(current)
        child = current.older
      }
    }
    return found.values.sorted {
      $0.order != $1.order ? $0.order > $1.order : $0.id.rawValue > $1.id.rawValue
    }
  }
}
