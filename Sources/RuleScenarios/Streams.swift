// R12 and R13: one reader, an overflow that is told, handlers that never nest.

import Millrace
import RaceLab

extension RuleScenarios {
  @ScenarioList static var streams: [Scenario] {
    // Fault: two readers share the values, or a stream that lost some looks complete.
    rule("a stream has one reader, and an overflow comes after what was read", 12) { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step(buffer: 3)
      let scope = try found(child.flow?.scope)
      var heard: [Int] = []
      var errors: [OutputError] = []
      var accepted: [Int] = []
      for number in 1...2 {
        stage.scope.task("reader \(number)") {
          do {
            for try await value in child.outputs {
              heard.append(value)
              await Task.yield()
            }
          } catch { if let error = error as? OutputError { errors.append(error) } }
        }
      }
      stage.scope.task("writer") {
        for value in 1...5 {
          if scope.tryEmit(value) == .accepted { accepted.append(value) }
        }
        await Task.yield()
        for value in 6...7 {
          if scope.tryEmit(value) == .accepted { accepted.append(value) }
        }
      }
      await lab.settle()
      try lab.require(errors.contains(.alreadyAttached), "a second reader fails")
      try lab.require(stage.refused(.alreadyAttached) == 1)
      try lab.require(heard == accepted, "\(heard) of \(accepted) are read")
      try lab.require(accepted.count <= 3, "what waits is bounded")
      try lab.require(errors.contains(.overflow), "the overflow is told")
      try lab.require(accepted == Array(1...accepted.count), "after an overflow nothing comes")
      try lab.require(stage.refused(.overflow) == 7 - accepted.count)
      try lab.require(scope.tryEmit(8) == .refused(.overflow))
      // A reader that was cancelled makes room for the next.
      try await stage.close()
    }

    // Fault: an overflow comes before the values, or is lost to an owner that listens.
    rule("an owner that listens hears of an overflow after the values before it", 12) { lab in
      let stage = try Stage(lab)
      var lines: [String] = []
      let held = Held<Child<Step>?>(nil)
      var turnedAway = 0
      @MainActor func read() {
        Task {
          guard let child = held.value else { return }
          do { for try await _ in child.outputs { lab.fail("a listener's values are read") } } catch
          {
            lab.check(error as? OutputError == .alreadyAttached, "\(error)")
            turnedAway += 1
          }
        }
      }
      read()
      let child = stage.scope.step(
        buffer: 2,
        start: { step in
          for value in 1...3 { step.scope.emit(value) }
          step.scope.finish(9)
        },
        onOutput: { lines.append("\($0)") }, onOverflow: { lines.append("overflow") },
        onEnding: { _ in lines.append("ending") })
      held.value = child
      lab.adversary("late reader") { read() }
      await lab.settle()
      try lab.require(lines == ["1", "2", "overflow", "9", "ending"], "\(lines)")
      try lab.require(turnedAway > 0, "who reads what another hears is told so")
      try await stage.close()
    }

    // Fault: a reader that was cancelled, or whose owner has ended, takes a value or waits for ever.
    rule("a reader that is cancelled gets nothing, and the next one the rest", 12, 15) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      var first: [Int] = []
      var isOver = false
      let reader = Task {
        for try await value in child.outputs { first.append(value) }
        isOver = true
      }
      lab.adversary("cancel") { reader.cancel() }
      lab.adversary("emit") { for value in 1...2 { scope.emit(value) } }
      if lab.flip() { lab.adversary("sign out") { stage.runtime.signOut() } }
      lab.expectEnded(reader, "the first reader")
      await lab.settle()
      try lab.require(isOver, "a cancelled reader comes to its end")
      var rest: [Int] = []
      stage.scope.task { for try await value in child.outputs { rest.append(value) } }
      await lab.settle()
      if stage.scope.isCurrent {
        try lab.require(first + rest == [1, 2], "\(first) and \(rest)")
        try lab.require(first.isEmpty || first == [1, 2], "it takes none after its cancellation")
      } else {
        try lab.require(rest.isEmpty, "\(rest)")
      }
      try await stage.close()
    }

    // Fault: a handler runs in the middle of another one.
    rule("handlers never nest, whatever they do", 13) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      var depth = 0
      var calls = 0
      @MainActor func handle(_ body: @MainActor () -> Void) {
        lab.check(depth == 0, "a handler in a handler")
        depth += 1
        calls += 1
        body()
        depth -= 1
      }
      var scopes: [FlowScope<Int>] = []
      var children: [Child<Step>] = []
      let answer = lab.gate(of: Int.self, "answer")
      for number in 0..<3 {
        let child = stage.scope.step(
          willEnd: { _, _ in handle { scopes[(number + 1) % 3].emit(20) } },
          onOutput: { value in
            handle {
              guard value < 3 else { return }
              scopes[(number + 1) % 3].emit(value + 1)
              scopes[number].emit(value + 1)
              if value == 2 { children[(number + 2) % 3].dismiss() }
            }
          },
          onEnding: { _ in handle { scopes[(number + 1) % 3].finish(30) } })
        children.append(child)
        scopes.append(try found(child.flow?.scope))
      }
      for (number, scope) in scopes.enumerated() {
        scope.perform("load") {
          try await answer.wait()
        } then: { _ in
          handle { scopes[(number + 1) % 3].emit(1) }
        } onCancel: { _ in
          handle { scopes[(number + 2) % 3].emit(40) }
        }
        scope.task("failing", onError: { _ in handle { scope.emit(2) } }) {
          try await scope.sleep(for: .seconds(1))
          throw Oops()
        }
      }
      lab.adversary("answer") { answer.open(with: 1) }
      lab.adversary("cancel") { scopes[1].cancel("load") }
      if lab.flip() { lab.adversary("sign out") { stage.runtime.signOut() } }
      await lab.settle()
      await lab.advance(by: .seconds(2))
      try lab.require(calls > 0 && depth == 0)
      answer.open(with: 2)
      try await stage.close()
    }
  }
}
