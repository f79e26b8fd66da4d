// The exports hold together: what is opened is closed, what is sent arrives, and each reader's
// format is kept.

import Foundation
import Millrace
import MillraceTrace
import RaceLab
import Testing

@MainActor @Suite struct TraceExportTests {
  /// A recording with children, outputs, a deaf operation, a superseded one, a refusal, and two
  /// things that are still open when it stops.
  private func recording(limit: Int = 10_000) async throws -> TraceRecording {
    let recorder = Box<TraceRecording?>(nil)
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let trace = TraceRecorder(clock: stage.runtime.clock, limit: limit)
      stage.runtime.addSink(trace)
      let picker = stage.root.scope.start(as: .sheet) { Page($0) }
      let old = picker.flow
      picker.flow?.scope.emit(1)
      let child = stage.child("upload", staying: .seconds(3), lab)
      await lab.advance(by: .milliseconds(1500))
      child.dismiss()
      picker.dismiss()
      old?.scope.emit(2)
      _ = stage.child("load; #1", staying: .zero, lab)
      stage.root.scope.perform("search") { try? await lab.gate("never").wait() }
      stage.root.scope.perform("search") { try? await lab.gate("never too").wait() }
      await lab.advance(by: .seconds(5))
      recorder.value = trace.recording
    }
    return try #require(recorder.value)
  }

  @MainActor private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private struct Perfetto: Decodable {
    struct Event: Decodable {
      let ph: String
      let pid: Int
      let tid: Int
      let name: String
      let ts: Double?
      let dur: Double?
      let id: Int?
      let cat: String?
      let bp: String?
      let s: String?
    }
    let traceEvents: [Event]
  }

  private func check(_ trace: Perfetto) {
    let named = Set(trace.traceEvents.filter { $0.name == "thread_name" }.map(\.tid))
    var slices: [Int: [(Double, Double)]] = [:]
    for event in trace.traceEvents {
      #expect(["M", "X", "i", "s", "f"].contains(event.ph))
      #expect(named.contains(event.tid), "a track without a name")
      if event.ph != "M" { #expect((event.ts ?? -1) >= 0) }
      if event.ph == "X" {
        #expect((event.dur ?? -1) >= 0, "a slice that is not closed")
        slices[event.tid, default: []].append((event.ts ?? 0, event.dur ?? 0))
      }
      if event.ph == "f" { #expect(event.bp == "e") }
    }
    // On one track slices follow each other, or lie inside of each other.
    for (_, all) in slices {
      for (index, one) in all.enumerated() {
        for other in all[(index + 1)...] {
          let (a, b) = one.0 <= other.0 ? (one, other) : (other, one)
          let nested = b.0 + b.1 <= a.0 + a.1 + 0.001
          #expect(nested || b.0 >= a.0 + a.1 - 0.001, "slices overlap")
        }
      }
    }
    // Each arrow has one tail and one head, in order, each on a slice.
    let tails = trace.traceEvents.filter { $0.ph == "s" }
    let heads = trace.traceEvents.filter { $0.ph == "f" }
    #expect(tails.map(\.id) == heads.map(\.id))
    #expect(Set(tails.map(\.id)).count == tails.count)
    for (tail, head) in zip(tails, heads) {
      #expect((tail.ts ?? 0) <= (head.ts ?? 0))
      for end in [tail, head] {
        let isOnSlice = (slices[end.tid] ?? []).contains { from, length in
          from <= end.ts ?? 0 && end.ts ?? 0 <= from + length
        }
        #expect(isOnSlice, "an arrow that touches no slice")
      }
    }
  }

  // Fault: Perfetto shows slices that never end, or arrows from nowhere, or refuses the file.
  @Test func thePerfettoTraceHoldsTogether() async throws {
    let recording = try await recording()
    let data = Data(recording.perfettoJSON.utf8)
    let trace = try JSONDecoder().decode(Perfetto.self, from: data)
    check(trace)
    let slices = trace.traceEvents.filter { $0.ph == "X" }
    #expect(slices.count { $0.cat == "flow" } == 3)
    #expect(slices.filter { $0.name == "upload, told to stop" }.map(\.dur) == [3_000_000])
    #expect(trace.traceEvents.count { $0.ph == "s" } == 1)
    #expect(trace.traceEvents.contains { $0.name == "refused: emitAfterEnd" })
  }

  // Fault: a recording that has lost its beginning names flows that were never opened.
  @Test(arguments: [1, 3, 7, 12]) func aRecordingThatBeganLateHoldsTogetherToo(
    _ limit: Int
  ) async throws {
    let recording = try await recording(limit: limit)
    #expect(recording.events.count == limit)
    #expect(recording.dropped > 0)
    check(try JSONDecoder().decode(Perfetto.self, from: Data(recording.perfettoJSON.utf8)))
  }

  // Fault: a diagram that a screen reader cannot tell anything about, or whose names break it.
  @Test func mermaidDiagramsHaveTitlesAndNameEverybody() async throws {
    let recording = try await recording()
    for (text, kind) in [
      (recording.mermaidSequence(), "sequenceDiagram"), (recording.mermaidTree(), "flowchart TD"),
    ] {
      let lines = text.split(separator: "\n").map(String.init)
      #expect(lines.first == kind)
      #expect(lines.dropFirst().first?.hasPrefix("  accTitle: ") == true)
      #expect(lines.dropFirst(2).first?.hasPrefix("  accDescr: ") == true)
      #expect(!text.contains("load; #1"))
      #expect(text.contains("load#59; #35;1"))
    }
    let sequence = recording.mermaidSequence().split(separator: "\n").map(String.init)
    let known = Set(
      sequence.filter { $0.hasPrefix("  participant") }.map { $0.split(separator: " ")[1] })
    for line in sequence.dropFirst(3) where line.contains(">>") || line.contains("-x") {
      let parties = line.prefix { $0 != ":" }.split { " ->x".contains($0) }
      #expect(parties.count == 2)
      #expect(parties.allSatisfy(known.contains), "\(line)")
    }
    #expect(recording.mermaidSequence(limit: 3).contains("more are not shown"))
  }

  // Fault: the tree shows what has ended, or leaves out what runs on.
  @Test func theMermaidTreeIsWhatLives() async throws {
    let tree = try await recording().mermaidTree()
    #expect(!tree.contains("upload"))
    #expect(tree.contains("search"))
    #expect(tree.contains("runtime([runtime])"))
  }

  @Test func theTextHasALineForEachEvent() async throws {
    let recording = try await recording()
    let lines = recording.text.split(separator: "\n")
    #expect(lines.count == recording.events.count)
    #expect(lines.contains { $0.contains("1.500 s  an end begins: Page") })
  }
}
