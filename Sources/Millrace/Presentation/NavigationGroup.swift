// Several changes as one: for a link, which takes away what is in its way, all of it or nothing.

extension FlowWindow {
  /// Asks for several changes as one: all of them take effect in this call, or none.
  ///
  /// It does not wait for a transition: the host is asked in order, as it comes to it. For a command
  /// of the user or a link the dismissal guards of all that would leave are asked first. One that
  /// keeps its flow refuses all; one that asks opens its question, and if the user discards, the
  /// command that it stands against is carried out, and no other. A flow that an earlier command has taken along is no fault.
  ///
  /// - Returns: `done`, `refused`, or `held(.question)`; in the latter two cases nothing has changed.
  @MainActor @discardableResult
  public func navigate(
    _ commands: [NavigationCommand], from origin: CommandOrigin
  ) -> CommandAnswer {
    connection.display?.navigate(all: commands, from: origin) ?? .refused(.closed)
  }

  /// Runs the closure on the main actor: for what comes from any thread and is no host's report.
  ///
  /// In the order of each sender, its reports among them. On the main actor it has run when this
  /// returns, after what came in before it; elsewhere it runs in a later main-actor job.
  public func post(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @MainActor @Sendable () -> Void
  ) {
    let isOnMain = isolation === MainActor.shared
    core.ingress.post(.call(body), to: core, schedules: !isOnMain)
    if isOnMain { MainActor.assumeIsolated { core.drainIngress() } }
  }
}

extension WindowDisplay {
  fileprivate func navigate(
    all commands: [NavigationCommand], from origin: CommandOrigin
  ) -> CommandAnswer {
    guard !isClosed else { return .refused(.closed) }
    let group = commands.map { command in
      var held = HeldCommand(
        command: command, origin: origin, session: core.sessions.open?.value)
      if case .flow(let id) = origin { held.asker = screens[id]?.node }
      return held
    }
    var answer = CommandAnswer.done
    for held in group where answer == .done { answer = ask(held) }
    if answer == .done {
      // One step: what is told of the ends comes after all of them.
      core.turnDepth += 1
      for held in group where screens[held.command.flow] != nil { carryOutUnasked(held) }
      core.turnDepth -= 1
    }
    for held in group { core.trace { .navigated(held.command, origin, answer) } }
    pump()
    core.drain()
    return answer
  }
}
