import Millrace
import RaceLab
import Testing

/// An act of a scope, and how it has to be refused when the flow has ended.
struct Act: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let refusal: RefusalKind
  let act: @MainActor @Sendable (FlowScope<Int>, Tally) async throws -> Acceptance?

  init(
    _ name: String, _ refusal: RefusalKind,
    _ act: @escaping @MainActor @Sendable (FlowScope<Int>, Tally) async throws -> Acceptance?
  ) {
    testDescription = name
    self.refusal = refusal
    self.act = act
  }

  /// All acts; a call adds to the tally if any of its closures is run.
  static let all: [Act] = [
    Act("emit", .emitAfterEnd) { scope, _ in
      scope.emit(1)
      return nil
    },
    Act("tryEmit", .emitAfterEnd) { scope, _ in scope.tryEmit(1) },
    Act("finish", .endAfterEnd) { scope, _ in
      scope.finish(1)
      return nil
    },
    Act("tryFinish", .endAfterEnd) { scope, _ in scope.tryFinish(1) },
    Act("start", .startAfterEnd) { scope, run in
      let child = scope.start { (scope: FlowScope<Int>) -> Step in
        run.add()
        return Step(scope)
      }
      return child.isCurrent ? .accepted : nil
    },
    Act("start type", .startAfterEnd) { scope, run in
      let child = scope.start(Step.self, as: .sheet) { scope in
        run.add()
        return Step(scope)
      }
      return child.isCurrent ? .accepted : nil
    },
    Act("start in slot", .startAfterEnd) { scope, run in
      let child = scope.start(in: Slot<Step>()) {
        run.add()
        return Step($0)
      }
      return child.isCurrent ? .accepted : nil
    },
    Act("start in slot with id", .startAfterEnd) { scope, run in
      let child = scope.start(in: Slot<Step>(), id: 7) {
        run.add()
        return Step($0)
      }
      return child.isCurrent ? .accepted : nil
    },
    Act("start reading a stream", .startAfterEnd) { scope, run in
      let child = scope.start(reading: AsyncStream<Int> { $0.yield(1) }) { _ in run.add() }
      return child.isCurrent ? .accepted : nil
    },
    Act("task", .workAfterEnd) { scope, run in
      scope.task { run.add() }.isCurrent ? .accepted : nil
    },
    Act("perform", .workAfterEnd) { scope, run in
      let work = scope.perform("work") {
        run.add()
      } then: { _ in
        run.add()
      } onCancel: { _ in
        run.add()
      }
      return work.isCurrent ? .accepted : nil
    },
    Act("perform for the session", .workAfterEnd) { scope, run in
      scope.perform("work", lifetime: .session) { run.add() }.isCurrent ? .accepted : nil
    },
    Act("perform while shown", .workAfterEnd) { scope, run in
      scope.perform("work", lifetime: .appearance) { run.add() }.isCurrent ? .accepted : nil
    },
    Act("perform joined", .workAfterEnd) { scope, run in
      let work = scope.perform(JoinKey<Int>("work")) {
        run.add()
        return 1
      } then: { _ in
        run.add()
      }
      return work.isCurrent ? .accepted : nil
    },
    Act("value", .workAfterEnd) { scope, run in
      await #expect(throws: Refused.self) { try await scope.value("work") { run.add() } }
      return nil
    },
    Act("value joined", .workAfterEnd) { scope, run in
      await #expect(throws: Refused.self) {
        try await scope.value(JoinKey<Int>("work")) {
          run.add()
          return 1
        }
      }
      return nil
    },
    Act("reply", .workAfterEnd) { scope, run in
      await #expect(throws: Refused.self) {
        try await scope.reply { (reply: Reply<Int>) in
          run.add()
          reply.succeed(1)
        }
      }
      return nil
    },
    Act("sleep", .workAfterEnd) { scope, _ in
      await #expect(throws: Refused.self) { try await scope.sleep(for: .seconds(1)) }
      return nil
    },
    Act("every", .workAfterEnd) { scope, run in
      scope.every(.seconds(1)) { run.add() }.isCurrent ? .accepted : nil
    },
    Act("cancel key", .workAfterEnd) { scope, _ in
      scope.cancel("work")
      return nil
    },
    Act("invalidate", .workAfterEnd) { scope, _ in
      scope.invalidate(JoinKey<Int>("work"))
      return nil
    },
    Act("handOver", .noSession) { scope, _ in scope.handOver(Handover(name: "late", body: [])) },
    Act("signIn", .endAfterEnd) { scope, _ in
      scope.signIn(Account("b")) == nil ? nil : .accepted
    },
    Act("signOut", .noSession) { scope, _ in scope.signOut() },
    Act("updateCredential", .noSession) { scope, _ in scope.updateCredential([1]) },
  ]
}

/// A capability that dies: every act of a scope whose flow has ended is refused, counted and
/// traced, and never acts. Its session is still open, so that nothing else stands in the way.
@Suite struct DeadScopeTests {
  // Retained view models, old closures and late answers all hold such a scope.
  @Test(arguments: Act.all)
  func actOnADeadScope_isRefusedCountedAndTraced(_ act: Act) async throws {
    try await Lab.run { lab in
      let run = Tally()
      let stage = try Stage(lab, signedInAs: Account("a"), deliver: { _, _ in run.add() })
      let child = stage.scope.step(onOutput: { _ in run.add() }, onEnding: { _ in })
      let scope = try #require(child.scope)
      child.dismiss()
      await lab.settle()
      let session = stage.runtime.session
      let flows = stage.runtime.counts.flows
      let acceptance = try await act.act(scope, run)
      await lab.settle()
      await lab.advance(by: .seconds(10))
      #expect(acceptance == nil || acceptance == .refused(act.refusal))
      #expect(run.value == 0)
      #expect(stage.runtime.refusals == [act.refusal: 1])
      #expect(stage.trace.refusals.count == 1)
      #expect(stage.runtime.session == session)
      #expect(stage.runtime.counts.flows == flows)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // Loading into a dead flow's state must leave the state as it is: no spinner for ever.
  @Test func loadOnADeadScope_leavesTheStateAlone() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step()
      let flow = try #require(child.flow)
      child.dismiss()
      let run = flow.scope.load("pages", into: \.pages, of: flow) { "text" }
      await lab.settle()
      #expect(run.outcome?.cancellation == .refused)
      #expect(flow.pages == .idle)
      #expect(stage.refused(.workAfterEnd) == 1)
    }
  }

  // Reads have to go on working: the late answer looks at `isCurrent` before it acts.
  @Test func readsOnADeadScope_goOnWorking() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      let session = stage.runtime.session
      child.dismiss()
      #expect(!scope.isCurrent)
      #expect(scope.id == child.id)
      #expect(scope.session == session)
      try await scope.drained(limit: .zero)
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // The child of a refused start must behave as one that has ended, or its owner waits for ever.
  @Test func childOfARefusedStart_hasEnded() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let owner = stage.scope.step()
      let scope = try #require(owner.scope)
      owner.dismiss()
      let child = scope.step()
      #expect(child.flow == nil)
      let ending = await child.ending
      #expect(ending.kind == .ownerEnded)
      var values = 0
      for try await _ in child.outputs { values += 1 }
      #expect(values == 0)
      let settled = await child.dismiss().settled()
      #expect(settled == .done)
      try await child.drained(limit: .zero)
      #expect(stage.runtime.counts.flows == 1)
    }
  }

  // R1: a flow that was built with another's scope would act in its name unseen.
  @Test func flowBuiltWithAnotherScope_isToldInTheRefusals() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let scope = stage.scope
      stage.scope.start { _ in Step(scope) }
      #expect(stage.refused(.foreignScope) == 1)
    }
  }
}
