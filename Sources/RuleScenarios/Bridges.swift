// R2, R12, R15 and R16 for what comes from code without flows: streams, callbacks, tasks that throw.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var bridges: [Scenario] {
    // Fault: an error is lost, ends another flow, or a cancellation counts as one.
    rule("an error that leaves a task ends its flow, unless something takes it", 2, 16) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let gate = lab.gate("work")
      let never = lab.gate("never")
      let takes = lab.flip()
      var taken: [any Error] = []
      var endings: [EndingKind] = []
      let child = stage.scope.step(onEnding: { endings.append($0.kind) })
      let scope = try found(child.flow?.scope)
      let take: @MainActor (any Error) -> Void = { taken.append($0) }
      let run = scope.task("fails", onError: takes ? take : nil) {
        try await gate.wait()
        throw Oops()
      }
      let ends = scope.task("ends") {}
      let cancelled = scope.task("cancelled") {
        _ = try await scope.value("never") { try await never.wait() }
      }
      lab.adversary("fail") { gate.open() }
      let strikes = lab.flip()
      if strikes { lab.adversary("cancel") { run.cancel() } }
      await lab.settle()
      let outcome = try found(run.outcome)
      if case .failed = outcome {
        try lab.require(endings == (takes ? [] : [.failed]) && taken.count == (takes ? 1 : 0))
        try lab.require(child.isCurrent == takes)
        if takes { scope.cancel("never") }
        await lab.settle()
        try lab.require(takes == child.isCurrent, "a cancellation ends a flow")
        let cause: CancellationCause = takes ? .requested : .flowEnded
        try lab.require(cancelled.outcome?.cancellation == cause, "\(cancelled.outcome as Any)")
      } else {
        try lab.require(strikes && outcome.cancellation == .requested, "\(outcome)")
        try lab.require(endings.isEmpty && taken.isEmpty && child.isCurrent, "\(endings)")
      }
      if child.isCurrent { try lab.require(ends.outcome?.cancellation == nil) }
      try await stage.close()
    }

    // Fault: a stream is read on after the flow that it is read for has ended.

    // Fault: a stream is read on after the flow that it is read for has ended.
    rule("a stream that is read for a flow ends with it, and the flow with the stream", 9, 5) {
      lab in
      let stage = try Stage(lab)
      let (stream, feed) = AsyncStream.makeStream(of: Int.self)
      var lines: [String] = []
      let child = stage.scope.start(
        reading: stream,
        onOutput: { output in
          if case .element(let value) = output {
            lines.append("\(value)")
          } else {
            lines.append("end")
          }
        }, onEnding: { lines.append($0.kind.rawValue) })
      for value in 1...2 { feed.yield(value) }
      let ends = lab.flip()
      lab.adversary("more") {
        feed.yield(3)
        if ends { feed.finish() }
      }
      lab.adversary("dismiss") { child.dismiss() }
      await lab.settle()
      feed.yield(4)
      await lab.settle()
      let all = ["1", "2", "3", "end", "finished"]
      let end = try found(lines.last)
      if end == "finished" {
        try lab.require(ends && lines == all, "\(lines)")
      } else {
        try lab.require(end == "dismissed" && all.starts(with: lines.dropLast()), "\(lines)")
        try lab.require(!lines.contains("end"), "\(lines)")
      }
      try lab.require(stage.refused(.emitAfterEnd) == 0, "it is read after the end")
      feed.finish()
      try await stage.close()
    }

    // Fault: a callback that never comes holds its flow up for ever; a second one counts.
    rule("a reply is answered once, and one that is dropped says so", 15, 16) { lab in
      let stage = try Stage(lab)
      let scope = stage.scope
      let held = Guarded<Reply<Int>?>(nil)
      var results: [String] = []
      @MainActor func ask(_ name: String) {
        scope.task("asks", onError: { results.append("\(name) \(type(of: $0))") }) {
          let value = try await scope.reply(name) { (reply: Reply<Int>) in
            held.withLock { $0 = reply }
          }
          results.append("\(name) \(value)")
        }
      }
      ask("first")
      await lab.settle()
      let way = lab.choose(3)
      lab.adversary("answer") {
        // Not under the lock: a reply that is dropped there answers there.
        var reply = held.withLock { reply in
          defer { reply = nil }
          return reply
        }
        switch way {
        case 0: reply = nil
        case 1:
          lab.check(reply?.succeed(1) == .accepted, "the first answer counts")
          lab.check(reply?.fail(Oops()) == .refused(.secondAnswer), "the second does not")
        default: lab.check(reply?.fail(Oops()) == .accepted, "the first answer counts")
        }
      }
      await lab.settle()
      let expected = ["first ReplyDropped", "first 1", "first Oops"]
      try lab.require(results == [expected[way]], "\(results)")
      try lab.require(stage.refused(.secondAnswer) == (way == 1 ? 1 : 0))
      // An answer to one who is gone is stale, and one that never comes is nothing.
      let child = scope.step { step in
        step.scope.task {
          _ = try await step.scope.reply("late") { (reply: Reply<Int>) in
            held.withLock { $0 = reply }
          }
        }
      }
      await lab.settle()
      child.dismiss()
      let answers = lab.flip()
      do {
        let late = held.withLock { reply in
          defer { reply = nil }
          return reply
        }
        if answers { late?.succeed(2) }
      }
      await lab.settle()
      try lab.require(stage.oracle.outcomes(of: "late") == [.cancelled(.flowEnded)])
      try lab.require(stage.oracle.stale("late") == (answers ? 1 : 0), "what is stale is counted")
      // One that throws before it asks, asks nobody.
      scope.task("throws", onError: { results.append("\($0)") }) {
        let _: Int = try await scope.reply { (_: Reply<Int>) in throw Oops() }
      }
      await lab.settle()
      try lab.require(results.last == "Oops()", "\(results)")
      try await stage.close()
    }

    // Fault: two loops over copies of one stream share its values.
    rule("two loops over one stream end both, and a limit that was met is told", 12) { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step(buffer: 2)
      let scope = try found(child.flow?.scope)
      let outputs = child.outputs
      let stream = outputs.asyncStream
      var heard: [Int] = []
      for _ in 0..<2 { stage.scope.task { for await value in stream { heard.append(value) } } }
      lab.adversary("emit") { for value in 1...2 { scope.emit(value) } }
      await lab.settle()
      if heard.count < 2 {
        try lab.require(outputs.failure == .alreadyAttached, "\(outputs.failure as Any)")
      }
      var rest: [Int] = []
      let again = child.outputs
      stage.scope.task {
        for try await value in again.asyncThrowingStream { rest.append(value) }
      }
      await lab.settle()
      try lab.require((heard + rest).sorted() == [1, 2], "\(heard) and \(rest)")
      try await stage.close()
    }
  }
}
