// The profile tells how long ends take and who does not listen, in the runtime's own time.

import Millrace
import MillraceTrace
import RaceLab
import Testing

@MainActor @Suite struct CancellationProfileTests {
  // Fault: work that stays after its flow is gone is seen by nobody.
  @Test func oneThatStaysThreeSecondsIsDeafByName() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let profile = CancellationProfile(clock: stage.runtime.clock)
      stage.runtime.addSink(profile)
      let child = stage.child("upload", staying: .seconds(3), lab)
      let quick = stage.child("search", staying: .zero, lab)
      await lab.advance(by: .seconds(10))
      child.dismiss()
      quick.dismiss()
      await lab.settle()

      let early = profile.report
      #expect(early.ends.map(\.left) == [1, 0])
      #expect(early.deaf.isEmpty)

      await lab.advance(by: .seconds(2))
      #expect(profile.report.deaf.map(\.name) == ["upload"])
      #expect(profile.report.names.first?.running == 1)

      await lab.advance(by: .seconds(5))
      let report = profile.report
      let end = try #require(report.ends.first)
      #expect(end.flow == child.id)
      #expect(end.kind == .dismissed)
      #expect(end.flows == 1)
      #expect(end.operations == 1)
      #expect(end.timeToCancelled == .zero)
      #expect(end.timeToQuiet == .seconds(3))
      #expect(end.stays.map(\.name) == ["upload"])
      #expect(end.stays.map(\.stayed) == [.seconds(3)])
      #expect(report.ends.last?.timeToQuiet == .zero)
      #expect(report.deaf.map(\.name) == ["upload"])
      #expect(report.deaf.first?.longest == .seconds(3))
      #expect(report.text.contains("upload: 3.000 s, deaf"))
      #expect(report.json.contains("\"stayed\":3.0,\"isOver\":true,\"isDeaf\":true"))
      #expect(report.html.contains("3.000 s, deaf"))
    }
  }

  // Fault: what a session's end cancels is counted to no end, or to a flow that ended inside of it.
  @Test func aSignOutIsOneEndWithAllThatItCancels() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let profile = CancellationProfile(clock: stage.runtime.clock)
      stage.runtime.addSink(profile)
      for number in 0..<5 { _ = stage.child("load \(number)", staying: .seconds(number), lab) }
      await lab.settle()
      stage.runtime.signOut()
      await lab.advance(by: .seconds(20))
      let end = try #require(profile.report.ends.first { $0.operations > 0 })
      #expect(end.flow == nil)
      #expect(end.name == "session")
      #expect(end.kind == .sessionEnded)
      #expect(end.flows == 6)
      #expect(end.operations == 5)
      #expect(end.timeToQuiet == .seconds(4))
      #expect(end.stays.map(\.name) == (0..<5).reversed().map { "load \($0)" })
      #expect(profile.report.deaf.map(\.name) == ["load 4", "load 3", "load 2"])
    }
  }

  // Fault: a run that a newer one supersedes and that stays is not seen, since no flow ended.
  @Test func whatIsSupersededIsFollowedToo() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let profile = CancellationProfile(clock: stage.runtime.clock)
      stage.runtime.addSink(profile)
      let clock = lab.clock
      for _ in 0..<2 {
        stage.root.scope.perform("search", .latest) {
          await Task { try? await clock.sleep(for: .seconds(2)) }.value
        }
        await lab.settle()
      }
      await lab.advance(by: .seconds(5))
      let report = profile.report
      #expect(report.ends.isEmpty)
      #expect(report.names.map(\.stopped) == [1])
      #expect(report.names.map(\.longest) == [.seconds(2)])
      #expect(report.deaf.map(\.name) == ["search"])
    }
  }

  // Fault: a recorder in production grows with every screen that was ever closed.
  @Test func itsMemoryIsBoundedOverAMillionEnds() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let profile = CancellationProfile(
        clock: stage.runtime.clock, options: .init(ends: 10, operations: 3, names: 7, pending: 100))
      let flow = FlowID(rawValue: 1)
      for number in 1...UInt64(1_000_000) {
        profile.record(.endBegan(flow, name: "Page", .dismissed))
        for operation in 0..<2 {
          let id = OperationID(rawValue: number * 2 + UInt64(operation))
          let name = number % 5 == 0 ? "n\(number)" : "load"
          profile.record(.operationEnded(id, name: name, .cancelled(.flowEnded)))
        }
        profile.record(.endApplied(flow, name: "Page"))
        // Every thousandth operation never stops.
        profile.record(.operationQuiet(OperationID(rawValue: number * 2), name: "load"))
        if number % 1000 != 0 {
          profile.record(.operationQuiet(OperationID(rawValue: number * 2 + 1), name: "load"))
        }
      }
      let report = profile.report
      #expect(report.endCount == 1_000_000)
      #expect(report.ends.count <= 30)
      #expect(report.ends.allSatisfy { $0.stays.count <= 3 })
      #expect(report.names.count <= 7 + 1 + 100)
      #expect(report.unfollowed > 0)
      #expect(report.text.split(separator: "\n").count < 200)
    }
  }

  // Fault: an operation whose name has no line of its own is told under another's, or is lost.
  @Test func namesWithoutALine_areToldWhereTheyStay() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let profile = CancellationProfile(clock: stage.runtime.clock, options: .init(names: 1))
      let flow = FlowID(rawValue: 1)
      profile.record(.endBegan(flow, name: "Page", .dismissed))
      for (number, name) in ["first", "second", "third"].enumerated() {
        let id = OperationID(rawValue: UInt64(number + 1))
        profile.record(.operationEnded(id, name: name, .cancelled(.flowEnded)))
      }
      profile.record(.endApplied(flow, name: "Page"))
      await lab.advance(by: .seconds(2))
      profile.record(.operationQuiet(OperationID(rawValue: 1), name: "first"))
      profile.record(.operationQuiet(OperationID(rawValue: 3), name: "third"))
      let report = profile.report
      #expect(report.names.map(\.name) == ["first", "other names", "second"])
      #expect(report.names.map(\.running) == [0, 0, 1])
      #expect(report.names.map(\.stopped) == [1, 1, 0])
      let end = try #require(report.ends.first)
      #expect(end.left == 1 && end.operations == 3 && end.timeToQuiet == nil)
      #expect(
        Set(end.stays.map { "\($0.name) \($0.id.rawValue)" }) == ["first 1", "second 2", "third 3"])
      profile.record(.operationQuiet(OperationID(rawValue: 2), name: "second"))
      #expect(profile.report.ends.first?.timeToQuiet == .seconds(2))
    }
  }

  // Fault: names from outside end up as tags in the page, or break the JSON.
  @Test func namesAreEscaped() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let profile = CancellationProfile(clock: stage.runtime.clock)
      stage.runtime.addSink(profile)
      let child = stage.child("a\"<b>\n&", staying: .seconds(2), lab)
      await lab.settle()
      child.dismiss()
      await lab.advance(by: .seconds(3))
      #expect(profile.report.json.contains("\"a\\\"<b>\\n&\""))
      #expect(profile.report.html.contains("a&quot;&lt;b&gt;"))
    }
  }
}
