// One question, and several who answer it in the same turn.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct AnswerCases {
  /// What ends the child.
  enum Cause: String, CaseIterable, Sendable { case finish, didDismiss, signOut }

  /// All orders of the three.
  nonisolated static let orders: [[Cause]] = Cause.allCases.flatMap { first in
    let rest = Cause.allCases.filter { $0 != first }
    return [[first] + rest, [first] + rest.reversed()]
  }

  /// In which kind of turn the three come.
  enum Turn: String, CaseIterable, Sendable { case outside, inHandler }

  /// How the child was started, and how its end is awaited.
  @MainActor
  private final class Question {
    let stage: Stage
    let owner: Screen
    let child: Child<Screen>
    let flow: Screen
    let notes = Notes()
    private let outside: FlowWindow
    private let host = RecordingHost()

    /// The parent is a flow outside the session, the child runs in it.
    init(_ lab: Lab, _ remote: Remote<String>, _ way: Way) throws {
      stage = Stage(lab, signedInAs: "A")
      outside = stage.runtime.openWindow(host: host, fixedRoot: Root { Screen($0, "P") })
      owner = try #require(outside.rootFlow as? Screen)
      #expect(owner.scope.session == nil)
      child = owner.scope.open("C", as: .sheet, in: stage.runtime.session)
      host.answers = .whenTold
      flow = try #require(child.flow)
      #expect(flow.scope.session == stage.runtime.session)
      flow.scope.load("answer", remote, by: way) { [flow] in
        flow.scope.finish((try? $0.get()) ?? "failed")
      }
      for waiter in ["one", "two"] {
        owner.scope.task { [self] in
          let ending = await child.ending
          notes.add("\(waiter): \(ending.output ?? "\(ending.kind)")")
        }
      }
    }

    func answer(_ cause: Cause) -> Acceptance {
      switch cause {
      case .finish: return flow.scope.tryFinish("5")
      case .didDismiss:
        outside.report(.didDismiss(child.id))
        return .accepted
      case .signOut: return stage.runtime.signOut()
      }
    }
  }

  // Fault: the success callback and the closing of the sheet both resume one continuation.
  @Test(arguments: orders, Hearing.allCases)
  func c40_twoAnswersToOneQuestion(_ order: [Cause], _ hearing: Hearing) async throws {
    for way in Way.allCases {
      for turn in Turn.allCases { try await answerThrice(order, hearing, way, turn) }
    }
  }

  private func answerThrice(
    _ order: [Cause], _ hearing: Hearing, _ way: Way, _ turn: Turn
  ) async throws {
    try await Lab.run { lab in
      let remote = Remote<String>(lab, "answer", hearing)
      let question = try Question(lab, remote, way)
      let stage = question.stage
      await lab.settle()
      var answers: [Cause: Acceptance] = [:]
      switch turn {
      case .outside: for cause in order { answers[cause] = question.answer(cause) }
      case .inHandler:
        let button = question.owner.scope.open(
          "button", as: .inline,
          onOutput: { _ in for cause in order { answers[cause] = question.answer(cause) } })
        button.flow?.scope.emit("tapped")
      }
      await lab.settle()

      let kinds: [Cause: EndingKind] = [
        .finish: .finished, .didDismiss: .dismissed, .signOut: .sessionEnded,
      ]
      let first = try #require(kinds[order[0]])
      let told = first == .finished ? "5" : "\(first)"
      #expect(question.notes.lines == ["one: \(told)", "two: \(told)"])
      #expect(stage.endings(of: question.child.id) == [first])
      // What came later acts on its own matter only: a sign-out still signs out, and a report of
      // a screen that was told to leave says that it has left. A second one is refused.
      #expect(answers[.finish] == (first == .finished ? .accepted : .refused(.endAfterEnd)))
      #expect(stage.refusals(.endAfterEnd) == (first == .finished ? 0 : 1))
      #expect(answers[.signOut] == .accepted && stage.runtime.session == nil)
      #expect(stage.log.events.contains(.report(.didDismiss(question.child.id))))
      #expect(stage.refusals(.unknownFlow) == 0)
      _ = question.answer(.didDismiss)
      #expect(stage.refusals(.unknownFlow) == 1)

      remote.gate.open(with: "late")
      await lab.settle()
      #expect(question.notes.lines.count == 2)
      #expect(stage.stale("answer") == Trial(way: way, hearing: hearing).staleResults)
      #expect(question.owner.scope.isCurrent)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: the same with an answer from a delegate that calls back twice, and again after the end.
  @Test(arguments: [false, true])
  func c40_twoAnswersToOneQuestion_reply(_ endsFirst: Bool) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let child = try stage.root().scope.open("C")
      let flow = try #require(child.flow)
      let notes = Notes()
      var kept: Reply<String>?
      flow.scope.task {
        do { notes.add(try await flow.scope.reply("scan") { kept = $0 }) } catch {
          notes.add("\((error as? OperationCancelled)?.cause.rawValue ?? "\(error)")")
        }
      }
      await lab.settle()
      let reply = try #require(kept)
      if endsFirst { child.dismiss() }
      #expect(reply.succeed("5") == .accepted)
      #expect(reply.succeed("6") == .refused(.secondAnswer))
      #expect(reply.fail(CancellationError()) == .refused(.secondAnswer))
      if !endsFirst { child.dismiss() }
      await lab.settle()
      #expect(notes.lines == ["flowEnded"])
      #expect(reply.succeed("7") == .refused(.secondAnswer))
      await lab.settle()
      #expect(stage.refusals(.secondAnswer) == 3)
      #expect(stage.stale("scan") == 1)
      kept = nil
      await lab.settle()
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }
}
