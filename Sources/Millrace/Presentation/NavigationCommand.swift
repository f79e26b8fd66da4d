// Changes that are asked for by id: from a tapped Back button, a link, or a flow. Keeps R25: they
// name a flow, say where they come from, and are answered. Two of them never hit the wrong screen.

/// A change of what a window shows. Owners use `Child.dismiss()` and slots instead.
public enum NavigationCommand: Sendable, Equatable {
  /// Select the tab whose first flow this is.
  case select(FlowID)
  /// Take away all that is above this flow in its stack.
  case pop(to: FlowID)
  /// Take away all but the first flow of the stack that this flow is in.
  case popToRoot(of: FlowID)
  /// Take away this flow, and all that is above it. A Back button names the flow it is on, so that
  /// a second tap finds nothing.
  case dismiss(FlowID)

  /// The flow that it names.
  var flow: FlowID {
    switch self {
    case .select(let id), .pop(let id), .popToRoot(let id), .dismiss(let id): id
    }
  }
}

/// Where a command comes from.
public enum CommandOrigin: Sendable, Equatable {
  /// The user: flows that are to go are asked by their dismissal guards.
  case user
  /// A deep link: as the user, but what is to go is replaced by what the link shows, and ends so.
  case link
  /// The app itself: nobody is asked.
  case app
  /// A flow; with its end what it asked for is dropped. Nobody is asked.
  case flow(FlowID)
}

/// The answer to a command.
public enum CommandAnswer: Sendable, Equatable {
  /// It took effect, or all is already as it asks for. The host may still be busy with it.
  case done
  /// It changed nothing.
  case refused(CommandRefusal)
  /// It waits, and is carried out or dropped later; the trace tells.
  case held(HoldReason)

  /// Why a command waits.
  public enum HoldReason: Sendable, Equatable {
    /// Something else is on its way to the host, or the user is in the middle of a gesture.
    case transition
    /// This flow asks the user.
    case question(FlowID)
  }
}

/// Why a command changed nothing.
public enum CommandRefusal: Sendable, Equatable {
  /// The flow is not on display in this window.
  case unknownFlow
  /// There is nothing above the flow.
  case nothingToPop
  /// The flow is not the first of a tab.
  case notATab
  /// A window's first screen can be replaced, not taken away.
  case isRoot
  /// The dismissal guard of this flow says no.
  case kept(by: FlowID)
  /// The flow that asked for it, or the session in which it was asked, has ended.
  case originEnded
  /// The window is closed.
  case closed
}

/// A command that waits for its turn.
struct HeldCommand {
  let command: NavigationCommand
  let origin: CommandOrigin
  let session: Session?
  /// The flow that asked.
  var asker: Owner?
  /// Flows whose guards have let this command pass.
  var passed: Set<FlowID> = []
}

extension WindowDisplay {
  /// Carries the command out, or holds it while something else is going on.
  func navigate(
    _ command: NavigationCommand, from origin: CommandOrigin, asker: Owner? = nil
  ) -> CommandAnswer {
    guard !isClosed else { return .refused(.closed) }
    var held = HeldCommand(command: command, origin: origin, session: core.sessions.open?.value)
    held.asker = asker
    if held.asker == nil, case .flow(let id) = origin { held.asker = screens[id]?.node }
    let answer: CommandAnswer
    if isIdle || host == nil {
      answer = carryOut(held)
    } else if case .refused(let why) = target(of: held) {
      // What cannot be done is not held.
      answer = refuse(why)
    } else {
      request(.command(held))
      answer = .held(.transition)
    }
    core.trace { .navigated(command, origin, answer) }
    pump()
    core.drain()
    return answer
  }

  /// Carries out a command whose turn has come.
  @discardableResult
  func carryOut(_ held: HeldCommand) -> CommandAnswer {
    let answer = ask(held)
    if answer == .done { carryOutUnasked(held) }
    return answer
  }

  /// What stands against a command, now: nobody but the guards of what it would take away is asked.
  func ask(_ held: HeldCommand) -> CommandAnswer {
    if case .flow = held.origin, !(held.asker?.isRunning ?? false) { return refuse(.originEnded) }
    guard held.session == core.sessions.open?.value else { return refuse(.originEnded) }
    switch target(of: held) {
    case .nothing, .select: return .done
    case .refused(let why): return refuse(why)
    case .takeAway(let lowest):
      guard held.origin == .user || held.origin == .link else { return .done }
      switch askGuards(above: lowest, held) {
      case .letGo: return .done
      case .keep(let id): return refuse(.kept(by: id))
      case .ask(let id): return .held(.question(id))
      }
    }
  }

  /// Carries out a command that nothing stands against.
  func carryOutUnasked(_ held: HeldCommand) {
    switch target(of: held) {
    case .nothing, .refused: break
    case .select(let stack):
      select(stack)
      request(.select(stack))
    case .takeAway(let screen):
      guard let node = screen.node else { return }
      core.end(node, held.origin == .link ? .replaced : .dismissed)
    }
  }

  /// The lowest screen that the command takes away, the tab that it selects, or why not.
  private enum Target {
    case nothing
    case refused(CommandRefusal)
    case select(ScreenStack)
    case takeAway(Screen)
  }

  private func target(of held: HeldCommand) -> Target {
    switch held.command {
    case .select(let id):
      guard let screen = screens[id], !screen.isProvisional else { return .refused(.unknownFlow) }
      guard let stack = screen.stack, stack.bottom === screen, let container = stack.container
      else { return .refused(.notATab) }
      return container.selectedTab === stack ? .nothing : .select(stack)
    case .pop(let id):
      guard let screen = screens[id], !screen.isProvisional else { return .refused(.unknownFlow) }
      return screen.above.map { .takeAway($0) } ?? .refused(.nothingToPop)
    case .popToRoot(let id):
      guard let stack = screens[id]?.stack else { return .refused(.unknownFlow) }
      return stack.bottom.above.map { .takeAway($0) } ?? .refused(.nothingToPop)
    case .dismiss(let id):
      guard let screen = screens[id] else { return .refused(.unknownFlow) }
      return screen.stack === base && base?.bottom === screen
        ? .refused(.isRoot) : .takeAway(screen)
    }
  }

  private func refuse(_ why: CommandRefusal) -> CommandAnswer {
    core.refuse(why == .originEnded ? .requestDropped : .commandRefused, core.root)
    return .refused(why)
  }
}
