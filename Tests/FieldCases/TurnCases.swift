// The order of what is told from inside handlers.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct TurnCases {
  /// Handles events one after another, and fails if one comes while another is handled.
  @MainActor
  final class Handler {
    private(set) var handled: [String] = []
    private var isHandling = false

    func handle(_ event: String, _ follow: [String: [String]], emit: (String) -> Void) {
      #expect(!isHandling, "\(event) interrupts another")
      isHandling = true
      handled.append(event)
      for next in follow[event] ?? [] { emit(next) }
      isHandling = false
    }
  }

  private static let follow = ["close": ["dismiss", "present"], "dismiss": ["log"]]
  private static let order = ["close", "dismiss", "present", "log"]

  // Fault: a handler that emits is interrupted by what it emits, or what it emits waits for the
  // next event.
  @Test(arguments: Reading.allCases)
  func c24_outputsSentFromInsideAHandler(_ reading: Reading) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let owner = try stage.root()
      let handler = Handler()
      let sent = Notes()
      var child: Child<Screen>?
      let handle: @MainActor (String) -> Void = { event in
        handler.handle(event, Self.follow) {
          child?.flow?.scope.emit($0)
          sent.add($0)
        }
      }
      child = owner.scope.open("C", onOutput: reading == .closure ? handle : nil)
      let opened = try #require(child)
      if reading != .closure {
        owner.scope.task {
          switch reading {
          case .closure, .outputs: for try await output in opened.outputs { handle(output) }
          case .asyncStream: for await output in opened.outputs.asyncStream { handle(output) }
          case .throwingStream:
            for try await output in opened.outputs.asyncThrowingStream { handle(output) }
          }
        }
      }
      opened.flow?.scope.emit("close")
      if reading == .closure { #expect(handler.handled == Self.order) }
      await lab.settle()
      #expect(handler.handled == Self.order)
      #expect(sent.lines == ["dismiss", "present", "log"])
      #expect(stage.runtime.counts.outputsDelivered == 4)
      #expect(stage.runtime.counts.outputsDropped == 0)
      child?.dismiss()
      #expect(stage.runtime.counts.outputsDropped == 0)
      stage.expectSound()
    }
  }

  // Fault: the same over levels and from a child's own start: each handler tells its owner.
  @Test(arguments: [false, true])
  func c24_outputsSentFromInsideAHandler_levels(_ inStart: Bool) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      var depth = 0
      @MainActor func handle(_ line: String, _ body: () -> Void) {
        #expect(depth == 0, "\(line) interrupts another")
        depth += 1
        notes.add(line)
        body()
        depth -= 1
      }
      let parent = try stage.root().scope.open(
        "P",
        onOutput: { output in handle("root \(output)") {} },
        onEnding: { ending in handle("root \(ending.kind)") {} })
      let flow = try #require(parent.flow)
      let child = flow.scope.open(
        "C",
        onStart: { if inStart { $0.scope.emit("close") } },
        onEnd: { _, _ in handle("C end") {} },
        onOutput: { output in
          handle("P \(output)") {
            flow.scope.emit("dismiss")
            flow.scope.open("next", onStart: { _ in notes.add("next starts") })
            flow.scope.finish("present")
          }
        })
      if inStart {
        #expect(notes.lines.isEmpty)
        await lab.settle()
      } else {
        child.flow?.scope.emit("close")
      }
      #expect(
        notes.lines == [
          "P close", "next starts", "root dismiss", "root present", "C end", "root finished",
        ])
      let before = notes.lines.count
      await lab.settle()
      #expect(notes.lines.count == before)
      stage.expectSound()
    }
  }
}
