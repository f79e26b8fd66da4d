// Results that come after the end, the replacement or the session that they were meant for.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct StaleResultCases {
  // Fault: the load of a screen that was left still navigates to the next one.
  @Test(arguments: Trial.all)
  func c01_goingBackDoesNotStopTheNextScreen(_ trial: Trial) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remote = Remote<String>(lab, "g", trial.hearing)
      let notes = Notes()
      let child = try stage.root().scope.open("F") { flow in
        flow.scope.load("load", remote, by: trial.way) { _ in
          notes.add("handled")
          flow.scope.open("B")
        }
      }
      let flow = try #require(child.flow)  // held, so that no weak reference saves the day
      await lab.settle()
      #expect(remote.pending == 1)

      stage.window.report(.didDismiss(child.id))
      await lab.settle()
      let commands = stage.host.commands
      remote.gate.open(with: "value")
      await lab.settle()

      let ending = await child.ending
      #expect(ending.kind == .dismissed)
      #expect(stage.host.commands == commands)
      #expect(notes.lines.isEmpty)
      #expect(stage.outcomes(of: "load") == [.cancelled(.flowEnded)])
      #expect(stage.stale("load") == trial.staleResults)
      #expect(stage.runtime.counts.operations == 0)
      #expect(!flow.scope.isCurrent)
      stage.expectSound()
    }
  }

  private func startSessionLoad(
    _ stage: Stage, _ remote: Remote<String>, _ notes: Notes
  ) throws -> (Child<Screen>, Weak) {
    let child = try stage.root().scope.open("F")
    let flow = try #require(child.flow)
    flow.scope.perform("load", lifetime: .session) {
      try await remote.call()
    } then: { _ in
      notes.add("handled by \(flow.name)")
    } onCancel: { _ in
      notes.add("cancelled in \(flow.name)")
    }
    return (child, Weak(flow))
  }

  // Fault: the same for a load that goes on in the session: it keeps the screen, or tells it.
  @Test(arguments: [true, false], [true, false])
  func c01_goingBackDoesNotStopTheNextScreen_sessionLoad(
    _ isSignedIn: Bool, _ isCancelled: Bool
  ) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: isSignedIn ? "A" : nil)
      let (remote, notes) = (Remote<String>(lab, "g"), Notes())
      let (child, flow) = try startSessionLoad(stage, remote, notes)
      await lab.settle()
      stage.window.report(.didDismiss(child.id))
      await lab.settle()
      #expect(flow.object == nil)
      #expect(remote.pending == 1)
      if isCancelled { stage.runtime.signOut() }
      remote.gate.open(with: "value")
      await lab.settle()
      let ends = isCancelled && isSignedIn
      #expect(stage.outcomes(of: "load") == [ends ? .cancelled(.sessionEnded) : .succeeded])
      #expect(notes.lines.isEmpty)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  /// How the next customer comes.
  enum NextSession: String, CaseIterable { case anotherAccount, sameAccount }

  // Fault: an eligibility that was asked for by the former identity is served to the new one, or
  // the new one joins the request of the former. The same account again is a new identity too.
  @Test(arguments: Hearing.allCases, NextSession.allCases)
  func c04_eligibilityOfTheFormerIdentity(_ hearing: Hearing, _ next: NextSession) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "anonymous")
      let gates = [Remote<String>(lab, "g1", hearing), Remote<String>(lab, "g2", hearing)]
      let plan = JoinKey<String>("plan")
      @MainActor func ask(_ flow: Screen, _ remote: Remote<String>, _ notes: Notes) {
        notes.add("loading")
        flow.scope.perform(plan, .join(keep: .success), { try await remote.call() }) {
          notes.add((try? $0.get()) ?? "failed")
        }
      }
      let old = try stage.root()
      let before = Notes()
      ask(old, gates[0], before)
      await lab.settle()

      stage.runtime.signIn(Account(next == .sameAccount ? "anonymous" : "B"))
      let after = Notes()
      ask(try stage.root(), gates[1], after)
      await lab.settle()
      gates[0].gate.open(with: "not eligible")
      await lab.settle()
      #expect(after.lines == ["loading"])
      gates[1].gate.open(with: "eligible")
      await lab.settle()

      #expect(gates.map(\.calls) == [1, 1])
      #expect(before.lines == ["loading"])
      #expect(after.lines == ["loading", "eligible"])
      #expect(stage.refusals(.staleResult) == (hearing == .cooperative ? 0 : 1))
      stage.expectSound()
    }
  }

  // Fault: an answer that was kept for the former identity is served to the new one.
  @Test func c04_keptEligibilityOfTheFormerIdentity() async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "anonymous")
      let plan = JoinKey<String>("plan")
      let notes = Notes()
      let remote = Remote<String>(lab, "plan")
      for (account, answer) in [("anonymous", "not eligible"), ("B", "eligible")] {
        if account == "B" { stage.runtime.signIn(Account(account)) }
        try stage.root().scope.perform(
          plan, .join(keep: .success), { try await remote.call() }
        ) { notes.add((try? $0.get()) ?? "failed") }
        await lab.settle()
        remote.gate.open(with: answer)
        await lab.settle()
      }
      #expect(remote.calls == 2)
      #expect(notes.lines == ["not eligible", "eligible"])
      stage.expectSound()
    }
  }

  // Fault: the slow load of the item just left overwrites the one selected now, or its end takes
  // the loading state away.
  @Test(arguments: [Hearing.deaf, .shielded, .cooperative], [[2, 1], [1, 2]])
  func c06_slowLoadOfTheFormerSubject(_ hearing: Hearing, _ order: [Int]) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remotes = [1: Remote<String>(lab, "g1", hearing), 2: Remote<String>(lab, "g2", hearing)]
      let root = try stage.root()
      let pane = Pane()
      for item in [1, 2] {
        let remote = try #require(remotes[item])
        pane.history.append("loading(\(item))")
        root.scope.perform("pane", .latest, { try await remote.call() }) {
          pane.history.append((try? $0.get()) ?? "failed")
        }
        root.scope.load("state", into: \.state, of: pane) { try await remote.call() }
        await lab.settle()
      }
      for item in order {
        remotes[item]?.gate.open(with: item == 1 ? "one" : "two")
        await lab.settle()
        if item == 1, order == [1, 2] { #expect(pane.state.isLoading) }
      }
      #expect(pane.history == ["loading(1)", "loading(2)", "two"])
      #expect(pane.state == .loaded("two"))
      let loading = Loadable<String>.loading(previous: .idle)
      #expect(pane.states == [loading, loading, .loaded("two")])
      #expect(stage.refusals(.staleResult) == (hearing == .cooperative ? 0 : 2))
      stage.expectSound()
    }
  }

  /// A view model with a loaded state, and all that the state has been.
  final class Pane {
    var history: [String] = []
    var states: [Loadable<String>] = []
    var state = Loadable<String>.idle { didSet { states.append(state) } }
  }

  // Fault: in the task form, the superseded reader goes on with the former subject's value.
  @Test(arguments: Hearing.allCases, [[2, 1], [1, 2]])
  func c06_slowLoadOfTheFormerSubject_read(_ hearing: Hearing, _ order: [Int]) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remotes = [1: Remote<String>(lab, "g1", hearing), 2: Remote<String>(lab, "g2", hearing)]
      let root = try stage.root()
      let notes = Notes()
      for item in [1, 2] {
        let remote = try #require(remotes[item])
        root.scope.task {
          notes.add("loading(\(item))")
          do { notes.add(try await root.scope.value("pane") { try await remote.call() }) } catch {
            #expect(error as? OperationCancelled == OperationCancelled(.superseded))
          }
        }
        await lab.settle()
      }
      for item in order {
        remotes[item]?.gate.open(with: item == 1 ? "one" : "two")
        await lab.settle()
      }
      #expect(notes.lines == ["loading(1)", "loading(2)", "two"])
      #expect(stage.outcomes(of: "pane") == [.cancelled(.superseded), .succeeded])
      stage.expectSound()
    }
  }
}
