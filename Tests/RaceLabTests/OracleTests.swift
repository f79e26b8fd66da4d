import RaceLab
import Testing

/// Runs a scenario under many schedules; returns the fault found.
private func found(
  _ scenario: @escaping @MainActor (Lab) async throws -> Void
) async throws -> Exploration.Finding? {
  do {
    try await explore(schedules: 2_000, scenario)
    return nil
  } catch let failure as ExplorationFailure {
    return failure.exploration.finding
  }
}

@MainActor private final class Ticker {
  private let feed: AsyncStream<Int>.Continuation
  let values: AsyncStream<Int>
  private var isStopped = false

  init() { (values, feed) = AsyncStream.makeStream(of: Int.self) }

  /// Asks whether it is stopped, and sends a moment later.
  func tick(_ value: Int, checksAgain: Bool) async {
    if isStopped { return }
    await Task.yield()
    if checksAgain, isStopped { return }
    feed.yield(value)
  }

  func stop() {
    isStopped = true
    feed.finish()
  }

  /// Two who both find it running both finish it.
  func stopLater() async {
    if isStopped { return }
    await Task.yield()
    stop()
  }
}

@MainActor private final class Search {
  var query = 0
  var shown = 0
  func answer(_ number: Int, checks: Bool) {
    if !checks || number == query { shown = number }
  }
}

@MainActor private final class Slot {
  private var waiter: CheckedContinuation<Void, Never>?
  func waitForever() async { await withCheckedContinuation { waiter = $0 } }
  func release() {
    waiter?.resume()
    waiter = nil
  }
}

private let sees = Lab.uncontrolled

@MainActor @Suite struct OracleTests {
  // A value sent after the end is lost without a word, from code that knows nothing of the lab.
  @Test(.enabled(if: !sees.contains("streams")), arguments: [true, false])
  func valueSentAfterTheEnd_isReported(mended: Bool) async throws {
    let finding = try await found { lab in
      lab.watchStreams()
      let ticker = Ticker()
      let tick = Task { await ticker.tick(1, checksAgain: mended) }
      let stop = Task {
        for _ in 0..<3 { await Task.yield() }
        ticker.stop()
      }
      for await _ in ticker.values {}
      await tick.value
      await stop.value
    }
    #expect(finding?.failure.kind == (mended ? nil : .emitAfterFinish))
  }

  // Two owners of one end: the second finish says that nobody knows who ends it.
  @Test(.enabled(if: !sees.contains("streams")))
  func secondFinish_isReported() async throws {
    let finding = try await found { lab in
      lab.watchStreams()
      let ticker = Ticker()
      let one = Task { await ticker.stopLater() }
      let two = Task {
        for _ in 0..<3 { await Task.yield() }
        await ticker.stopLater()
      }
      await one.value
      await two.value
    }
    #expect(finding?.failure.kind == .doubleFinish)
  }

  // A stream of the throwing kind ends with an error or without: an end is an end.
  @Test(.enabled(if: !sees.contains("streams")))
  func throwingStreams_areWatchedToo() async throws {
    let finding = try await found { lab in
      lab.watchStreams()
      let (_, feed) = AsyncThrowingStream.makeStream(of: Void.self)
      feed.finish(throwing: CancellationError())
      feed.yield()
    }
    #expect(finding?.failure.kind == .emitAfterFinish)
  }

  // The reader's leaving is no fault of the sender, nor is a new stream at the place of an old one.
  @Test func readerThatLeft_andOtherStreams_areNoFault() async throws {
    try await explore(schedules: 500) { lab in
      lab.watchStreams()
      let (values, feed) = AsyncStream.makeStream(of: Int.self)
      let reader = Task { for await _ in values {} }
      await Task.yield()
      reader.cancel()
      await reader.value
      feed.yield(1)
      for _ in 0..<20 {
        let (_, short) = AsyncStream.makeStream(of: Int.self)
        short.yield(1)
        short.finish()
      }
    }
  }

  // The first answer comes last and takes the second's place; each value by itself looks right.
  @Test(arguments: [true, false])
  func staleValue_isReportedWhereItIsAccepted(mended: Bool) async throws {
    let finding = try await found { lab in
      let search = Search()
      lab.neverStale("results", accepted: { search.shown }, current: { search.query })
      for number in 1...2 {
        search.query = number
        Task {
          await Task.yield()
          search.answer(number, checks: mended)
        }
        for _ in 0..<3 { await Task.yield() }
      }
      await lab.settle()
    }
    #expect(finding?.failure.kind == (mended ? nil : .stale))
  }

  // "Deadlock" alone sends somebody reading all the code: who waits, for what, and where.
  @Test(.enabled(if: !sees.contains("where tasks wait")))
  func deadlock_saysWhoWaitsForWhat() async throws {
    let finding = try await found { lab in
      let slot = Slot()
      let user = Task.detached(name: "user") { await slot.waitForever() }
      let release = Task.detached(name: "release") {
        for _ in 0..<6 { await Task.yield() }
        await slot.release()
      }
      await release.value
      await Task(name: "owner") { await user.value }.value
    }
    #expect(finding?.failure.kind == .deadlock)
    let waiting = try #require(finding?.waiting)
    #expect(
      waiting.contains {
        $0.hasPrefix("user waits for a continuation") && $0.contains("waitForever")
      }
    )
    #expect(waiting.contains { $0.hasPrefix("owner waits for user") })
    #expect(waiting.contains { $0.hasPrefix("scenario waits for owner") })
    #expect(waiting.count == 3)
  }

  // A single run tells the same in its error.
  @Test(.enabled(if: !sees.contains("where tasks wait")))
  func deadlockOfASingleRun_saysWhoWaits() async throws {
    let slot = Slot()
    do {
      try await Lab.run(patience: .zero) { _ in await slot.waitForever() }
      Issue.record("It ended.")
    } catch LabError.deadlock(let waiting) {
      #expect(waiting.count == 1)
      #expect(waiting.first?.contains("waitForever") == true)
    }
    slot.release()
  }

  // A task that nobody awaits may wait for ever, and the test passes.
  @Test(.enabled(if: !sees.contains("where tasks wait")))
  func continuationNeverResumed_isALeftover() async throws {
    let slot = Slot()
    await #expect(throws: LabError.self) {
      try await Lab.run(leftovers: .fail) { lab in
        Task { await slot.waitForever() }
        await lab.settle()
      }
    }
    slot.release()
    for releases in [true, false] {
      let finding = try await found { lab in
        lab.expectNoLeftovers()
        let slot = Slot()
        Task { await slot.waitForever() }
        let gate = lab.gate("passed")
        Task { try await gate.wait() }
        for _ in 0..<3 { await Task.yield() }
        gate.open()
        if releases { slot.release() }
        await lab.settle()
      }
      #expect(finding?.failure.kind == (releases ? nil : .leftovers))
      #expect(finding?.waiting.count == (releases ? nil : 1))
    }
  }
}
