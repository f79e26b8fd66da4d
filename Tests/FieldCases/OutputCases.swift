// What a child tells, and what its owner hears of it.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct OutputCases {
  // Fault: two loops on one stream each get a part of the values, or one of them hangs at the end.
  @Test(arguments: Reading.allCases, Reading.loops)
  func c17_twoReadersOfOneStream(_ first: Reading, _ second: Reading) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let owner = try stage.root()
      let (one, two) = (Record(), Record())
      let child = owner.scope.open("C", by: first, into: one)
      let flow = try #require(child.flow)
      await lab.settle()
      owner.scope.read(child, by: second, into: two)
      await lab.settle()
      #expect(two.lines == ["error(alreadyAttached)"])
      for value in ["1", "2", "3"] { flow.scope.emit(value) }
      flow.scope.finish("finished")
      await lab.settle()
      #expect(one.lines == ["1", "2", "3", "finished", "ended(finished)"])
      #expect(two.lines == ["error(alreadyAttached)"])
      #expect(one.isDone && two.isDone)
      #expect(stage.refusals(.alreadyAttached) == 1)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: two iterators of one `AsyncStream` share its values, or one is never woken. The standard
  // type ends for both; the failure tells it, and what was not read is there for the next reader.
  @Test func c17_twoReadersOfOneStream_copies() async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let owner = try stage.root()
      let child = owner.scope.open("C")
      let flow = try #require(child.flow)
      let outputs = child.outputs
      let stream = outputs.asyncStream
      let (notes, record) = (Notes(), Record())
      for reader in ["R1", "R2"] {
        owner.scope.task {
          for await output in stream { notes.add("\(reader) \(output)") }
          notes.add("\(reader) over")
        }
      }
      await lab.settle()
      #expect(notes.lines == ["R2 over"])
      for value in ["1", "2", "3"] { flow.scope.emit(value) }
      flow.scope.finish("finished")
      await lab.settle()
      #expect(notes.lines == ["R2 over", "R1 1", "R1 over"])
      #expect(outputs.failure == .alreadyAttached)
      owner.scope.read(child, by: .outputs, into: record)
      await lab.settle()
      #expect(record.lines == ["2", "3", "finished", "ended(finished)"])
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: what was sent before the reader came is lost, or is read twice by the next one.
  @Test(arguments: Reading.loops, Reading.loops)
  func c19_valuesSentWhileNobodyReads(_ first: Reading, _ second: Reading) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let owner = try stage.root()
      let (one, two) = (Record(), Record())
      let child = owner.scope.open("C", buffer: 4) { $0.scope.emit("1") }
      let flow = try #require(child.flow)
      for value in ["2", "3"] { #expect(flow.scope.tryEmit(value) == .accepted) }
      await lab.settle()
      let reader = owner.scope.read(child, by: first, into: one)
      await lab.settle()
      #expect(one.lines == ["1", "2", "3"])

      reader.cancel()
      await lab.settle()
      owner.scope.read(child, by: second, into: two)
      await lab.settle()
      flow.scope.emit("4")
      await lab.settle()
      #expect(one.lines.prefix(3) == ["1", "2", "3"])
      #expect(!one.lines.contains("4"))
      #expect(two.lines == ["4"])
      #expect(stage.refusals(.overflow) == 0)
      stage.expectSound()
    }
  }

  // Fault: the buffer grows without limit, or it overflows and the stream looks complete.
  @Test(arguments: Reading.loops)
  func c19_valuesSentWhileNobodyReads_overflow(_ reading: Reading) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let owner = try stage.root()
      let record = Record()
      let child = owner.scope.open("C", buffer: 4)
      let flow = try #require(child.flow)
      let answers = ["1", "2", "3", "4", "5", "6"].map { flow.scope.tryEmit($0) }
      let full = Acceptance.refused(.overflow)
      #expect(answers == [.accepted, .accepted, .accepted, .accepted, full, full])
      owner.scope.read(child, by: reading, into: record)
      await lab.settle()
      #expect(record.lines == ["1", "2", "3", "4", "error(overflow)"])
      #expect(flow.scope.tryEmit("7") == full)
      await lab.settle()
      #expect(record.lines.count == 5)
      let entries = stage.log.events.filter {
        if case .overflow = $0 { true } else { false }
      }
      #expect(entries == [.overflow(child.id, name: "Screen", limit: 4)])
      #expect(stage.runtime.counts.outputsDelivered == 4)
      #expect(child.isCurrent)
      stage.expectSound()
    }
  }

  // Fault: the same with a closure: what the child sends before its owner can hear it is lost, or
  // is heard without its overflow.
  @Test(arguments: [3, 5])
  func c19_valuesSentBeforeTheOwnerHasItsChild(_ count: Int) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let record = Record()
      let child = try stage.root().scope.open(
        "C", buffer: 4, by: .closure, into: record,
        onStart: { flow in for value in 1...count { flow.scope.emit("\(value)") } })
      #expect(record.lines.isEmpty)
      await lab.settle()
      let heard = (1...min(count, 4)).map { "\($0)" }
      #expect(record.lines == heard + (count == 5 ? ["error(overflow)"] : []))
      try #require(child.flow).scope.emit("later")
      #expect(record.lines.last == (count == 5 ? "error(overflow)" : "later"))
      stage.expectSound()
    }
  }

  /// How the child of C21 ends.
  enum End: String, CaseIterable { case finished, dismissed, sessionEnded, replaced }

  // Fault: a stream takes values after its end, or values of a child that was taken away.
  @Test(arguments: Reading.loops, End.allCases)
  func c21_orderAtTheEndOfAStream(_ reading: Reading, _ end: End) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let owner = try stage.root()
      let slot = Slot<Screen>()
      let notes = Notes()
      let record = Record()
      let pause = lab.gate("pause", .deaf)
      let hook: @MainActor (Screen, Ending<String>) -> Void = { flow, _ in
        notes.add("end \(flow.scope.tryEmit("3") == .refused(.emitAfterEnd))")
      }
      let child =
        end == .replaced
        ? owner.scope.start(in: slot) { Screen($0, "C", onEnd: hook) }
        : owner.scope.open("C", onEnd: hook)
      let flow = try #require(child.flow)
      owner.scope.read(child, by: reading, into: record, pause: pause)
      await lab.settle()
      flow.scope.emit("1")
      flow.scope.emit("2")
      await lab.settle()
      #expect(record.lines == ["1"])
      switch end {
      case .finished: flow.scope.finish("finished")
      case .dismissed: child.dismiss()
      case .sessionEnded: stage.runtime.signOut()
      case .replaced: owner.scope.start(in: slot) { Screen($0, "next") }
      }
      for _ in 1...3 {
        pause.open()
        await lab.settle()
      }
      let rest = end == .finished ? ["2", "finished"] : []
      #expect(record.lines == ["1"] + rest + ["ended(\(end.rawValue))"])
      #expect(notes.lines == ["end true"])
      #expect(stage.runtime.counts.outputsDropped == (end == .finished ? 0 : 1))
      stage.expectSound()
    }
  }

  // Fault: the same for closures, where values wait while a turn is on the stack.
  @Test(arguments: [End.finished, .dismissed])
  func c21_orderAtTheEndOfAStream_closure(_ end: End) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let owner = try stage.root()
      let record = Record()
      let child = owner.scope.open(
        "C", by: .closure, into: record,
        onEnd: { flow, _ in
          record.add("end \(flow.scope.tryEmit("3") == .refused(.emitAfterEnd))")
        })
      let flow = try #require(child.flow)
      let trigger = owner.scope.open(
        "trigger",
        onOutput: { _ in
          flow.scope.emit("1")
          flow.scope.emit("2")
          if end == .finished { flow.scope.finish("finished") } else { child.dismiss() }
          #expect(record.lines.isEmpty)
        })
      try #require(trigger.flow).scope.emit("go")
      let values = end == .finished ? ["1", "2", "finished"] : []
      #expect(Set(record.lines) == Set(values + ["end true", "ended(\(end.rawValue))"]))
      #expect(record.lines.filter { $0 != "end true" } == values + ["ended(\(end.rawValue))"])
      #expect(stage.runtime.counts.outputsDropped == (end == .finished ? 0 : 2))
      stage.expectSound()
    }
  }

  // Fault: a value is read, and before the loop sees it the child is dismissed. The mailbox hands
  // it over in the reader's own step; a stream cannot, so its reader has to look.
  @Test(arguments: Reading.loops)
  func c21_dismissalWhileAValueIsHandedOver(_ reading: Reading) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let owner = try stage.root()
      let record = Record()
      let child = owner.scope.open("C")
      owner.scope.read(child, by: reading, into: record)
      await lab.settle()
      try #require(child.flow).scope.emit("1")
      // In the first job in which the value counts as read, the child is taken away.
      var heard: [String]?
      dismiss(child, whenRead: stage.runtime) { heard = record.lines }
      await lab.settle()
      #expect(heard == (reading == .outputs ? ["1"] : []))
      #expect(record.lines == ["1", "ended(dismissed)"])
      #expect(!child.isCurrent)
      stage.expectSound()
    }
  }

  private func dismiss(
    _ child: Child<Screen>, whenRead runtime: FlowRuntime, _ look: @escaping @MainActor () -> Void
  ) {
    guard runtime.counts.outputsDelivered == 1 else {
      Task { dismiss(child, whenRead: runtime, look) }
      return
    }
    look()
    child.dismiss()
  }
}
