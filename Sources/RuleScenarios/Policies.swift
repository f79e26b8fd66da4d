// R14 to R16 under each policy: what runs under one key at once, in which order, and for how long.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var policies: [Scenario] {
    // Fault: more runs at once than the policy says, another order, or one that never begins.
    rule("under one key as many run as the policy says, in the order asked for", 14, 16) { lab in
      let stage = try Stage(lab)
      let running = Guarded(0)
      let most = Guarded(0)
      let begun = Guarded<[Int]>([])
      let steps = lab.gate("work", .deaf)
      let width = lab.choose(from: [1, 2, 0])
      let policy: OperationPolicy =
        switch width {
        case 1: .queue
        case 2: .concurrent(2)
        default: .first
        }
      var heard: [Int] = []
      var causes: [CancellationCause] = []
      let scope = stage.scope
      var runs: [Operation<Void>] = []
      for number in 1...4 {
        let run = scope.perform("work", policy) {
          let now = running.withLock { value in
            value += 1
            return value
          }
          most.withLock { $0 = max($0, now) }
          begun.withLock { $0.append(number) }
          try await steps.wait()
          running.withLock { $0 -= 1 }
        } then: { _ in
          heard.append(number)
        } onCancel: {
          causes.append($0)
        }
        runs.append(run)
      }
      await lab.settle()
      try lab.require(running.withLock { $0 } == max(1, width), "as many as may run at once do")
      let cancels = width > 0 && lab.flip()
      var isCancelled = false
      if cancels {
        lab.adversary("cancel the third") { isCancelled = runs[2].cancel() == .accepted }
      }
      for number in 1...4 { lab.adversary("go on \(number)") { steps.open() } }
      await lab.settle()
      while steps.waiterCount > 0 {
        steps.open()
        await lab.settle()
      }
      let order = begun.withLock { $0 }
      if width == 0 {
        try lab.require(heard == [1] && causes.allSatisfy { $0 == .alreadyRunning }, "\(heard)")
        try lab.require(causes.count == 3 && stage.refused(.alreadyRunning) == 3, "\(causes)")
        scope.perform("work", .first) {
        } then: { _ in
          heard.append(5)
        }
        await lab.settle()
        try lab.require(heard == [1, 5], "a slot that is free takes the next")
      } else {
        let all = isCancelled ? [1, 2, 4] : [1, 2, 3, 4]
        try lab.require(heard.sorted() == all, "\(heard)")
        if width == 1 { try lab.require(heard == all, "\(heard)") }
        if width == 1, !isCancelled { try lab.require(order == order.sorted(), "\(order)") }
        try lab.require(causes == (isCancelled ? [.requested] : []), "\(causes)")
        // One that was cancelled while it ran holds nothing up, and may still run.
        let peak = most.withLock { $0 }
        if !isCancelled { try lab.require(peak == width, "\(peak) at once") }
      }
      if width > 0 {
        // The line is empty: the next one begins at once.
        let count = heard.count
        scope.perform("work", policy) {
        } then: { _ in
          heard.append(6)
        }
        await lab.settle()
        try lab.require(heard.count == count + 1, "a line that is empty holds something back")
      }
      try await stage.close()
    }

    // Fault: a key that is typed into is asked at each letter, or at none.
    rule("a debounce begins the newest when it is quiet, a throttle once in its time", 14, 16) {
      lab in
      let stage = try Stage(lab)
      let scope = stage.scope
      let throttles = lab.flip()
      let policy = throttles ? OperationPolicy.throttle(.seconds(2)) : .debounce(.seconds(2))
      var heard: [(value: Int, at: Duration)] = []
      var superseded = 0
      var asked: [Duration] = []
      var isCancelled = false
      for number in 1...3 {
        Task {
          try? await lab.clock.sleep(for: .seconds(number == 3 ? 1 : 0))
          asked.append(lab.clock.now.elapsed)
          scope.perform("search", policy) {
            number
          } then: { result in
            if case .success(let value) = result { heard.append((value, lab.clock.now.elapsed)) }
          } onCancel: {
            if $0 == .superseded { superseded += 1 }
          }
        }
      }
      let cancels = lab.flip()
      await lab.settle()
      if cancels {
        Task {
          await Task.yield()
          isCancelled = true
          scope.cancel("search")
        }
      }
      await lab.advance(by: .seconds(1))
      try lab.require(throttles || heard.isEmpty, "a debounce begins too early")
      if throttles, !cancels {
        try lab.require(heard.count == 1, "a throttle begins at once, once")
      }
      await lab.advance(by: .milliseconds(900))
      if throttles, !cancels { try lab.require(heard.count == 1, "a throttle begins too early") }
      await lab.advance(by: .milliseconds(100))
      if throttles, !cancels { try lab.require(heard.count == 2, "a throttle begins again") }
      if throttles, !cancels {
        // Its time begins again with each run.
        scope.perform("search", policy) {
          3
        } then: { _ in
          heard.append((3, .seconds(2)))
        }
        await lab.settle()
        try lab.require(heard.count == 2, "a throttle begins too early the second time")
        await lab.advance(by: .seconds(2))
        try lab.require(heard.count == 3, "a throttle begins the second time")
        heard.removeLast()
      }
      await lab.advance(by: .seconds(5))
      if !cancels {
        try lab.require(heard.count == (throttles ? 2 : 1), "\(heard)")
        try lab.require(
          heard.last?.value == 3 && superseded == (throttles ? 1 : 2), "the newest wins")
        try lab.require(heard.last?.at == .seconds(throttles ? 2 : 3), "\(heard)")
      } else {
        try lab.require(isCancelled && heard.count <= 2 && superseded <= 2, "\(heard)")
      }
      // The lane is free again.
      let count = heard.count
      scope.perform("search", policy) {
        4
      } then: { _ in
        heard.append((4, .zero))
      }
      await lab.settle()
      try lab.require(
        heard.count == count + (throttles ? 1 : 0), "after its time a throttle is free")
      await lab.advance(by: .seconds(2))
      try lab.require(heard.count == count + 1)
      try await stage.close()
    }

    // Fault: a limit that passes is told twice, late, or to a run that has answered.
    rule("a limit is a failure, at its time, and what comes later is stale", 15, 16) { lab in
      let stage = try Stage(lab)
      let scope = stage.scope
      let answer = lab.gate(of: Int.self, "answer", .deaf)
      var results: [String] = []
      @MainActor func note(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let value): results.append("\(value)")
        case .failure(let error):
          lab.check(
            error as? OperationTimedOut == OperationTimedOut(limit: .seconds(1)), "\(error)")
          lab.check(lab.clock.now.elapsed >= .seconds(1), "a limit comes early")
          results.append("late")
        }
      }
      let key = JoinKey<Int>("joined")
      scope.perform("load", limit: .seconds(1)) {
        try await answer.wait()
      } then: {
        note($0)
      }
      scope.perform(key, limit: .seconds(1)) {
        try await answer.wait()
      } then: {
        note($0)
      }
      scope.perform(key) {
        try await answer.wait()
      } then: { result in
        if case .success = result { results.append("joined") } else { lab.fail("\(result)") }
      }
      scope.task("value", onError: { note(.failure($0)) }) {
        note(
          .success(try await scope.value("wait", limit: .seconds(1)) { try await answer.wait() }))
      }
      scope.task("reply", onError: { note(.failure($0)) }) {
        let value: Int = try await scope.reply(limit: .seconds(1)) { reply in
          Task.detached { reply.succeed(try await answer.wait()) }
        }
        note(.success(value))
      }
      if lab.flip() { lab.adversary("answer") { answer.open(with: 1) } }
      let moves = Task { await lab.advance(by: .seconds(1)) }
      await moves.value
      await lab.settle()
      try lab.require(results.count >= 4, "a limit is not kept: \(results)")
      while answer.waiterCount > 0 {
        answer.open(with: 1)
        await lab.settle()
      }
      try lab.require(results.count == 5, "\(results)")
      try lab.require(results.count { $0 == "joined" } == 1, "one who has no limit waits on")
      try await stage.close()
    }

    // Fault: a view shows what an older load brought, or stays at "loading" for ever.
    rule("what is loaded into a view is of the newest load, and a cancelled one goes back", 15, 16)
    {
      lab in
      let stage = try Stage(lab)
      let step = stage.root
      let answers = (0..<3).map { lab.gate(of: Int.self, "answer \($0)", .deaf) }
      var runs: [Operation<Int>] = []
      @MainActor func load(_ number: Int) {
        let gate = answers[number]
        runs.append(
          step.scope.load("page", into: \.page, of: step) { try await gate.wait() })
        lab.check(step.page.isLoading, "a load that runs is shown")
      }
      load(0)
      lab.adversary("load again") { load(1) }
      lab.adversary("cancel") {
        runs.last?.cancel()
        lab.check(!step.page.isLoading, "a cancelled load is still shown")
      }
      for number in 0..<2 {
        lab.adversary("answer \(number)") {
          if lab.flip() { answers[number].fail(Oops()) } else { answers[number].open(with: number) }
        }
      }
      await lab.settle()
      for answer in answers.dropLast() { answer.open(with: 9) }
      await lab.settle()
      try lab.require(!step.page.isLoading, "\(step.page)")
      let newest = runs.last { $0.outcome?.cancellation == nil }
      switch (newest?.outcome, step.page) {
      case (.succeeded(let value), .loaded(let shown)): try lab.require(value == shown)
      case (.failed, .failed), (nil, .idle): break
      default: lab.fail("\(newest?.outcome as Any) is shown as \(step.page)")
      }
      load(2)
      answers[2].open(with: 3)
      await lab.settle()
      try lab.require(step.page == .loaded(3))
      try await stage.close()
    }

    // Fault: a timer goes on after its flow, ticks twice, or catches up in a burst.
    rule("a timer ticks at its times, leaves out what it missed, and ends with its flow", 5, 14) {
      lab in
      let stage = try Stage(lab)
      var ticks: [Int64] = []
      let slow = lab.gate("slow", .deaf)
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      let timer = scope.every(.seconds(1), onError: { _ in lab.fail("an error is told") }) {
        lab.check(scope.isCurrent, "a tick after the end")
        ticks.append(lab.clock.now.elapsed.components.seconds)
        if ticks.count == 2 { try await slow.wait() }
      }
      let way = lab.choose(3)
      await lab.advance(by: .seconds(4))
      try lab.require(ticks == [1, 2], "\(ticks)")
      lab.adversary("go on") { slow.open() }
      if way == 1 { lab.adversary("dismiss") { child.dismiss() } }
      if way == 2 { lab.adversary("cancel") { timer.cancel() } }
      await lab.settle()
      await lab.advance(by: .seconds(2))
      let rest: [Int64] = way == 0 ? [1, 2, 5, 6] : [1, 2]
      try lab.require(ticks == rest, "\(ticks)")
      try lab.require((timer.outcome?.cancellation != nil) == (way > 0))
      await lab.advance(by: .seconds(2))
      try lab.require(ticks.count == (way == 0 ? 6 : 2), "\(ticks)")
      try await stage.close()
    }
  }
}
