import Millrace
import RaceLab
import Testing

/// R12 and R15: the values of one child, read by one loop.
@Suite struct OutputStreamTests {
  /// Reads to the end; writes each value, then how it ended.
  @MainActor
  private func read(_ child: Child<Step>, _ log: Log) -> Task<Void, Never> {
    Task { @MainActor in
      do {
        for try await value in child.outputs { log(value) }
        log("end")
      } catch { log(error) }
    }
  }

  // Values that were sent while nobody read must be neither lost nor repeated.
  @Test func valuesBeforeTheReader_areReadOnceInOrder() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(start: { step in for value in 1...3 { step.scope.emit(value) } })
      _ = read(child, log)
      await lab.settle()
      child.scope?.emit(4)
      child.scope?.finish(5)
      await lab.settle()
      #expect(log.lines == ["1", "2", "3", "4", "5", "end"])
    }
  }

  // Two readers of one stream split its values; the second must learn so at once.
  @Test func secondReader_failsAtOnceAndTheFirstGoesOn() async throws {
    try await Lab.run { lab in
      let first = Log()
      let second = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step()
      _ = read(child, first)
      await lab.settle()
      _ = read(child, second)
      await lab.settle()
      #expect(second.lines == [OutputError.alreadyAttached.description])
      child.scope?.emit(1)
      child.scope?.finish(2)
      await lab.settle()
      #expect(first.lines == ["1", "2", "end"])
      #expect(stage.refused(.alreadyAttached) == 1)
    }
  }

  // A child whose outputs go to a closure has its reader already.
  @Test func readerBesideAClosure_fails() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      var heard: [Int] = []
      let child = stage.scope.step(onOutput: { heard.append($0) })
      _ = read(child, log)
      await lab.settle()
      child.scope?.emit(1)
      #expect(heard == [1])
      #expect(log.lines == [OutputError.alreadyAttached.description])
    }
  }

  // A loop that was left makes room for the next, which gets what has not been read.
  @Test func readerAfterABreak_goesOnWhereTheFirstStopped() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(start: { step in for value in 1...3 { step.scope.emit(value) } })
      Task { @MainActor in
        for try await value in child.outputs {
          log("first \(value)")
          break
        }
      }
      await lab.settle()
      _ = read(child, log)
      child.scope?.emit(4)
      await lab.settle()
      #expect(log.lines == ["first 1", "2", "3", "4"])
    }
  }

  // A cancelled reader must leave, and must not take a value with it.
  @Test func cancelledReader_leavesAndLosesNothing() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step()
      let reader = read(child, log)
      await lab.settle()
      reader.cancel()
      child.scope?.emit(1)
      await lab.settle()
      #expect(log.lines == ["end"])
      let next = Log()
      _ = read(child, next)
      await lab.settle()
      #expect(next.lines == ["1"])
    }
  }

  // A reader that is cancelled before its first step would otherwise wait for ever.
  @Test func readerCancelledBeforeItBegan_ends() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(start: { $0.scope.emit(1) })
      read(child, log).cancel()
      await lab.settle()
      #expect(log.lines == ["end"])
    }
  }

  // R12: never a stream that looks complete.
  @Test func overflow_isThrownAfterTheBufferedValues() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(buffer: 2)
      let scope = try #require(child.scope)
      #expect(scope.tryEmit(1) == .accepted)
      #expect(scope.tryEmit(2) == .accepted)
      #expect(scope.tryEmit(3) == .refused(.overflow))
      #expect(scope.tryEmit(4) == .refused(.overflow))
      _ = read(child, log)
      await lab.settle()
      #expect(log.lines == ["1", "2", OutputError.overflow.description])
      #expect(stage.refused(.overflow) == 2)
    }
  }

  // A value that is sent after the reader has made room is behind the gap all the same.
  @Test func emitAfterAnOverflow_isRefusedThoughThereIsRoom() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(buffer: 1)
      let scope = try #require(child.scope)
      scope.emit(1)
      scope.emit(2)
      _ = read(child, log)
      await lab.settle()
      #expect(scope.tryEmit(3) == .refused(.overflow))
      #expect(log.lines == ["1", OutputError.overflow.description])
    }
  }

  // `finish` never overflows: the last value and the ending come whatever happened before.
  @Test func finishAfterAnOverflow_keepsItsValue() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(buffer: 1)
      let scope = try #require(child.scope)
      scope.emit(1)
      scope.emit(2)
      #expect(scope.tryFinish(3) == .accepted)
      _ = read(child, log)
      await lab.settle()
      #expect(log.lines == ["1", OutputError.overflow.description])
      _ = read(child, log)
      let ending = await child.ending
      await lab.settle()
      #expect(ending.output == 3)
      #expect(log.lines.suffix(2) == ["3", "end"])
    }
  }

  // An `AsyncStream` cannot throw, so it says elsewhere why it ended.
  @Test func overflowOfAnAsyncStream_isToldByFailure() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step(buffer: 1)
      child.scope?.emit(1)
      child.scope?.emit(2)
      let outputs = child.outputs
      var values: [Int] = []
      for await value in outputs.asyncStream { values.append(value) }
      #expect(values == [1])
      #expect(outputs.failure == .overflow)
    }
  }

  // The throwing one throws it.
  @Test func overflowOfAnAsyncThrowingStream_isThrown() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step(buffer: 1)
      child.scope?.emit(1)
      child.scope?.emit(2)
      var values: [Int] = []
      await #expect(throws: OutputError.overflow) {
        for try await value in child.outputs.asyncThrowingStream { values.append(value) }
      }
      #expect(values == [1])
    }
  }

  // The standard streams have to end where the child does.
  @Test func asyncStreams_endWithTheChild() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let plain = stage.scope.step()
      let throwing = stage.scope.step()
      let streams = (plain.outputs.asyncStream, throwing.outputs.asyncThrowingStream)
      Task {
        for await value in streams.0 { log("plain \(value)") }
        log("plain end")
      }
      Task {
        for try await value in streams.1 { log("throwing \(value)") }
        log("throwing end")
      }
      await lab.settle()
      plain.scope?.emit(1)
      throwing.scope?.emit(2)
      await lab.settle()
      plain.dismiss()
      throwing.scope?.finish(3)
      await lab.settle()
      #expect(
        log.lines == ["plain 1", "throwing 2", "plain end", "throwing 3", "throwing end"])
    }
  }

  // R11: what was not read is dropped when the owner takes the child away.
  @Test func dismissalBeforeTheReaderRuns_dropsWhatWasSent() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step()
      _ = read(child, log)
      await lab.settle()
      child.scope?.emit(1)
      child.scope?.emit(2)
      child.dismiss()
      await lab.settle()
      #expect(log.lines == ["end"])
      #expect(stage.runtime.counts.outputsDropped == 2)
    }
  }

  // R4: the stream finishes when the end is told, so a reader does not run ahead of `willEnd`.
  @Test func streamInATurn_finishesAfterWillEnd() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(willEnd: { _, _ in log("willEnd") })
      _ = read(child, log)
      await lab.settle()
      child.scope?.finish(1)
      await lab.settle()
      #expect(log.lines == ["willEnd", "1", "end"])
    }
  }

  // R10 and R15: an owner that has ended gets no value any more, though the child had finished.
  @Test func readerOfAnEndedOwner_getsNothing() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let owner = stage.scope.step()
      let child = try #require(owner.scope).step()
      _ = read(child, log)
      await lab.settle()
      child.scope?.emit(1)
      child.scope?.finish(2)
      owner.dismiss()
      await lab.settle()
      #expect(log.lines == ["end"])
      #expect(stage.runtime.counts.outputsDropped == 2)
    }
  }

  // R15: and `ending` answers for the owner, at once.
  @Test func endingForAnEndedOwner_isOwnerEnded() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let owner = stage.scope.step()
      let child = try #require(owner.scope).step()
      Task { @MainActor in log("waiting \(await child.ending.kind)") }
      await lab.settle()
      child.scope?.finish(2)
      owner.dismiss()
      log("asked after \(await child.ending.kind)")
      await lab.settle()
      #expect(log.lines == ["asked after ownerEnded", "waiting ownerEnded"])
    }
  }

  // The same for a session that was closed.
  @Test func endingForAnOwnerOfAClosedSession_isSessionEnded() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let child = stage.scope.step()
      child.scope?.finish(2)
      stage.runtime.signOut()
      let ending = await child.ending
      #expect(ending.kind == .sessionEnded)
    }
  }

  // Several tasks may wait for one ending; each must get it.
  @Test func allWhoWaitForAnEnding_getIt() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step()
      for _ in 0..<3 { Task { @MainActor in log(await child.ending.output ?? 0) } }
      await lab.settle()
      child.scope?.finish(4)
      await lab.settle()
      #expect(log.lines == ["4", "4", "4"])
      let late = await child.ending
      #expect(late.output == 4)
    }
  }
}
