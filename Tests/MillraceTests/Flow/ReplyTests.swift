import Dispatch
import Millrace
import RaceLab
import Testing

/// One-shot answers of callback APIs: the one who waits is resumed exactly once.
@Suite struct ReplyTests {
  /// Asks in a task of the flow; hands the reply out and writes down what comes back.
  @MainActor
  private func ask(
    _ scope: FlowScope<Int>?, _ log: Log, limit: Duration? = nil, holding: Held<Reply<Int>?>? = nil,
    _ then: @escaping @MainActor (Reply<Int>) throws -> Void = { _ in }
  ) {
    scope?.task {
      do {
        log(
          try await scope?.reply("ask", limit: limit) { reply in
            holding?.value = reply
            try then(reply)
          } ?? 0)
      } catch { log(error) }
    }
  }

  // An API that calls back before it returns.
  @Test func answerInTheCall_isTaken() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      ask(stage.scope, log) { $0.succeed(1) }
      ask(stage.scope, log) { $0.fail(Oops()) }
      await lab.settle()
      #expect(log.lines == ["1", "Oops()"])
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // Success and cancellation both call back: the second must not resume again.
  @Test(arguments: [true, false])
  func secondAnswer_isRefusedAndCounted(successFirst: Bool) async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let held = Held<Reply<Int>?>(nil)
      ask(stage.scope, log, holding: held)
      await lab.settle()
      let reply = try #require(held.value)
      let answers =
        successFirst
        ? [reply.succeed(1), reply.fail(Oops())] : [reply.fail(Oops()), reply.succeed(1)]
      #expect(answers == [.accepted, .refused(.secondAnswer)])
      await lab.settle()
      #expect(log.lines == [successFirst ? "1" : "Oops()"])
      #expect(stage.refused(.secondAnswer) == 1)
    }
  }

  // A callback that is lost must not leave its caller waiting for ever.
  @Test func replyReleasedWithoutAnAnswer_throws() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      ask(stage.scope, log)
      await lab.settle()
      #expect(
        log.lines == [
          "the reply was released without an answer; answer it on every path of the callback"
        ])
    }
  }

  // An answer to a flow that has ended is stale; a dropped reply to it is nothing at all.
  @Test func answerAfterTheEnd_isStaleAndADropIsNot() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let kept = Held<Reply<Int>?>(nil)
      let dropped = Held<Reply<Int>?>(nil)
      let child = stage.scope.step()
      ask(child.scope, log, holding: kept)
      ask(child.scope, log, holding: dropped)
      await lab.settle()
      child.dismiss()
      await lab.settle()
      #expect(
        log.lines == [
          "the operation was cancelled: flowEnded", "the operation was cancelled: flowEnded",
        ])
      dropped.value = nil
      await lab.settle()
      #expect(stage.runtime.refusals.isEmpty)
      #expect(kept.value?.succeed(1) == .accepted)
      await lab.settle()
      #expect(stage.runtime.refusals == [.staleResult: 1])
    }
  }

  // A limit frees the one who waits; the answer that comes after it is stale.
  @Test func answerAfterTheLimit_isStale() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let held = Held<Reply<Int>?>(nil)
      ask(stage.scope, log, limit: .seconds(5), holding: held)
      await lab.advance(by: .seconds(5))
      #expect(log.lines == ["no answer within 5.0 seconds"])
      held.value?.succeed(1)
      await lab.settle()
      #expect(log.lines.count == 1)
      #expect(stage.refused(.staleResult) == 1)
    }
  }

  // An API that throws before it takes the callback: its error, and nothing left behind.
  @Test func errorWhileAsking_isThrown() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      ask(stage.scope, log) { _ in throw Oops() }
      await lab.settle()
      #expect(log.lines == ["Oops()"])
      #expect(stage.runtime.counts.operations == 0)
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // Answer, end and drop in one job, in each order: one resumption, with the first that applied.
  @Test(arguments: [true, false])
  func answerAndEndInOneJob_resumeOnce(endFirst: Bool) async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let held = Held<Reply<Int>?>(nil)
      let child = stage.scope.step()
      ask(child.scope, log, holding: held)
      await lab.settle()
      if endFirst { child.dismiss() }
      held.value?.succeed(1)
      if !endFirst { child.dismiss() }
      held.value = nil
      await lab.settle()
      // An answer is taken from its queue in a later job: by then the flow has ended either way.
      #expect(log.lines == ["the operation was cancelled: flowEnded"])
      #expect(stage.refused(.staleResult) == 1)
    }
  }

  // Callbacks come on any thread; many at once are one answer and the rest refused.
  @Test func answersFromManyTasks_areOne() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let accepted = Tally()
      let held = Held<Reply<Int>?>(nil)
      ask(stage.scope, log, holding: held)
      await lab.settle()
      let reply = try #require(held.value)
      for number in 1...20 {
        Task.detached { if reply.succeed(number).isAccepted { accepted.add() } }
      }
      await lab.settle()
      #expect(accepted.value == 1)
      #expect(log.lines.count == 1)
      #expect(stage.refused(.secondAnswer) == 19)
    }
  }

  // The same on real threads, outside of a lab: nothing is resumed twice, nothing waits for ever.
  @Test @MainActor func answersFromThreads_areOne() async throws {
    let runtime = FlowRuntime()
    var asked: Child<Step>?
    let window = runtime.openWindow { _ in
      Root {
        Step(
          $0,
          start: { root in
            asked = root.scope.step(start: { step in
              step.scope.task {
                let value: Int = try await step.scope.reply { reply in
                  for number in 1...8 {
                    DispatchQueue.global().async { reply.succeed(number) }
                  }
                }
                step.scope.finish(value)
              }
            })
          })
      }
    }
    let ending = await asked?.ending
    #expect((1...8).contains(ending?.output ?? 0))
    window.close()
  }
}
