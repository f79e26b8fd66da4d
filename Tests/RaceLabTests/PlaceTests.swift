import RaceLab
import Testing

// Not inlined: what is taken in by its caller goes by the caller's name.
@MainActor private final class Rooms {
  var guests = 0

  @inline(never) func enter() async {
    let before = guests
    await Task.yield()
    guests = before + 1
  }

  @inline(never) func leave() async {
    let before = guests
    await Task.yield()
    guests = before - 1
  }
}

private let sees = !Lab.uncontrolled.contains("where tasks wait")

@Suite struct PlaceTests {
  // A step without its place in the code says that something ran, not what.
  @Test(.enabled(if: sees)) func table_saysWhereAStepWentOn() async throws {
    do {
      try await explore { lab in
        let rooms = Rooms()
        let one = Task { await rooms.enter() }
        let two = Task { await rooms.leave() }
        await one.value
        await two.value
        try lab.require(rooms.guests == 0)
      }
      Issue.record("The fault was not found.")
    } catch let failure as ExplorationFailure {
      let table = try #require(failure.exploration.finding?.table)
      #expect(table.contains("Rooms.enter"))
      #expect(table.contains("Rooms.leave"))
      #expect(!table.contains("RaceLab"))
    }
  }

  // "No fault" says little where the two that could meet never did: here they cannot.
  @Test(.enabled(if: sees)) func suspensionsNeverInterleaved_areCounted() async throws {
    func search(together: Bool) async throws -> SearchReport {
      SearchReport(
        try await explore(schedules: 500) { _ in
          let rooms = Rooms()
          let one = Task { await rooms.enter() }
          if !together { await one.value }
          let two = Task { await rooms.leave() }
          await one.value
          await two.value
        })
    }
    func isMissing(_ report: SearchReport) -> Bool {
      report.neverInterleaved.contains {
        $0.suspended.contains("Rooms.enter") && $0.other.contains("Rooms.leave")
      }
    }
    let apart = try await search(together: false)
    #expect(isMissing(apart))
    #expect(apart.summary.contains("never interleaved"))
    let together = try await search(together: true)
    #expect(!isMissing(together))
    #expect(together.placedRuns > 0)
  }

  // Somebody who waits for a long search wants to see that it goes on.
  @Test func progress_isToldWhileTheSearchRuns() async throws {
    let told = Guarded<[Int]>([])
    var options = SearchOptions()
    options.schedules = 1_000
    options.strategy = .random
    options.progress = { exploration in
      told.withLock { $0.append(exploration.schedules) }
    }
    try await explore(options: options) { _ in await Task.detached {}.value }
    #expect(told.withLock { $0 } == [256, 512, 768])
  }
}
