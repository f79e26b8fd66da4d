// R21: all state on the main actor, deliveries first in first out, each while it is due.

import Millrace
import RaceLab

extension RuleScenarios {
  @ScenarioList static var turns: [Scenario] {
    // Fault: what is asked for in a turn comes in the middle of it, in another order, or never.
    rule("outside a turn a call delivers before it returns, inside one after it, in order", 21, 13)
    {
      lab in
      let stage = try Stage(lab, signedInAs: "A")
      var lines: [String] = []
      var expected: [String] = []
      var inTurn = 0
      let scopes = try (0..<3).map { number in
        try found(
          stage.scope.step(
            start: { step in
              step.scope.emit(100 + number)
              lab.check(lines.isEmpty, "what a child sends in its start comes at once")
            },
            onOutput: { lines.append("\(number): \($0)") }
          ).flow?.scope)
      }
      @MainActor func send(_ number: Int, _ value: Int) {
        guard scopes[number].tryEmit(value) == .accepted else { return }
        expected.append("\(number): \(value)")
        if inTurn > 0 { lab.check(lines.last != "\(number): \(value)", "it comes in the turn") }
      }
      await lab.settle()
      try lab.require(lines == ["0: 100", "1: 101", "2: 102"], "\(lines)")
      expected = lines
      var isHeard = false
      let turn = stage.scope.step(onOutput: { value in
        inTurn += 1
        for _ in 0..<3 { send(lab.choose(3), value + lines.count + expected.count) }
        inTurn -= 1
        isHeard = true
      })
      lab.adversary("a turn") {
        let before = expected.count
        turn.flow?.scope.emit(200)
        lab.check(isHeard, "outside a turn a value comes in the call")
        lab.check(lines.count == expected.count && expected.count > before, "and what follows it")
      }
      lab.adversary("outside") {
        send(0, 300)
        lab.check(lines.last == "0: 300", "outside a turn a value comes in the call")
      }
      // What ends in the same turn is not told to an owner that has ended meanwhile.
      let owner = stage.scope.step()
      let ownerScope = try found(owner.flow?.scope)
      var late = 0
      let below = ownerScope.step(
        onOutput: { _ in
          lab.check(ownerScope.isCurrent, "a delivery that is not due any more is made")
          late += 1
        })
      let belowScope = try found(below.flow?.scope)
      lab.adversary("dismissal in a turn") {
        let turn = stage.scope.step(onOutput: { _ in
          belowScope.emit(1)
          owner.dismiss()
          belowScope.emit(2)
        })
        turn.flow?.scope.emit(0)
        lab.check(late == 0, "what was sent to it is dropped")
        turn.dismiss()
      }
      await lab.settle()
      try lab.require(lines == expected, "\(lines) is not \(expected)")
      try await stage.close()
    }

    // Fault: a slot or window of one turn is filled twice, or left empty.
    rule("what a flow does while it starts is done in order", 21, 2) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      var lines: [String] = []
      let way = lab.choose(4)
      let child = stage.scope.step(
        as: .push,
        start: { step in
          switch way {
          case 0: step.scope.finish(1)
          case 1:
            step.scope.emit(1)
            step.scope.finish(2)
          case 2: stage.runtime.signOut()
          default:
            step.scope.emit(1)
            step.scope.task { step.scope.finish(2) }
          }
          lines.append("started")
        },
        willEnd: { _, _ in lines.append("willEnd") }, onOutput: { lines.append("\($0)") },
        onEnding: { _ in lines.append("ending") })
      lines.append("returned")
      if way != 3 { try lab.require(!child.isCurrent, "it has ended in its start") }
      let strikes = lab.flip()
      lab.adversary("dismiss") { if strikes { child.dismiss() } }
      await lab.settle()
      switch way {
      case 0, 1:
        let values = way == 0 ? ["1"] : ["1", "2"]
        try lab.require(lines.first == "started", "\(lines)")
        try lab.require(lines.filter { Int($0) != nil } == values, "\(lines)")
        try lab.require(lines.suffix(1) == ["ending"], "\(lines)")
        let returned = try found(lines.firstIndex(of: "returned"))
        try lab.require(try found(lines.firstIndex(of: values[0])) > returned, "\(lines)")
      case 2: try lab.require(lines == ["started", "willEnd", "returned"], "\(lines)")
      default:
        try lab.require(lines.prefix(2) == ["started", "returned"], "\(lines)")
        if !strikes {
          try lab.require(
            lines.dropFirst(2) == ["1", "2", "willEnd", "ending"]
              || lines.dropFirst(2) == ["1", "willEnd", "2", "ending"]
              || lines.dropFirst(2) == ["1", "2", "willEnd", "ending"][...], "\(lines)")
        }
      }
      try await stage.close()
    }
  }
}
