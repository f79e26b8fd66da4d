// Who holds whom: flows, readers and children are freed when they end, and readers come to an end.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// A reference that does not keep its object.
struct Weak {
  weak var object: AnyObject?
  init(_ object: AnyObject) { self.object = object }
}

@MainActor @Suite struct OwnershipCases {
  /// A coordinator that reads its child in one of the forms; all its closures hold it strongly.
  final class Coordinator: Flow {
    let scope: FlowScope<String>
    let reading: Reading
    let notes: Notes
    private(set) var heard: [String] = []
    private(set) var child: Child<Screen>?

    init(_ scope: FlowScope<String>, _ reading: Reading, _ notes: Notes) {
      self.scope = scope
      self.reading = reading
      self.notes = notes
    }

    func start() {
      guard reading == .closure else { return readInTask() }
      child = scope.open(
        "C", onEnd: { [notes] _, ending in notes.add("C \(ending.kind)") },
        onOutput: { [self] in heard.append($0) }, onOverflow: { [self] in heard = [] },
        onEnding: { [self] in heard.append("\($0.kind)") })
    }

    private func readInTask() {
      let child = scope.open("C", onEnd: { [notes] _, ending in notes.add("C \(ending.kind)") })
      self.child = child
      scope.task { [self] in
        defer { notes.add("reader over") }
        switch reading {
        case .closure, .outputs: for try await output in child.outputs { heard.append(output) }
        case .asyncStream: for await output in child.outputs.asyncStream { heard.append(output) }
        case .throwingStream:
          for try await output in child.outputs.asyncThrowingStream { heard.append(output) }
        }
        heard.append("\(await child.ending.kind)")
      }
      scope.every(.seconds(1)) { [self] in heard.append("tick") }
      scope.perform("load") { [notes] in
        await notes.add("loading")
      } then: { [self] _ in
        heard.append("loaded")
      }
    }
  }

  /// Starts a coordinator and gives weak references to it and to its child.
  private func startCoordinator(
    _ stage: Stage, _ reading: Reading, _ notes: Notes
  ) throws -> [Weak] {
    let child = try stage.root().scope.start { Coordinator($0, reading, notes) }
    let flow = try #require(child.flow)
    let below = try #require(flow.child?.flow)
    below.scope.emit("1")
    return [Weak(flow), Weak(below)]
  }

  // Fault: the reading loop, or a closure, holds its own flow, which is never freed.
  @Test(arguments: Reading.allCases)
  func c22_readingLoopKeepsItsFlowAlive(_ reading: Reading) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let held = try startCoordinator(stage, reading, notes)
      await lab.settle()
      #expect(held.allSatisfy { $0.object != nil })
      stage.window.replaceRoot(Root { Screen($0, "next") })
      await lab.settle()
      #expect(held.allSatisfy { $0.object == nil })
      #expect(notes.count("C ownerEnded") == 1)
      #expect(notes.count("reader over") == (reading == .closure ? 0 : 1))
      #expect(stage.runtime.leaks().isEmpty)
      #expect(stage.runtime.counts.operations == 0)
      #expect(stage.runtime.counts.flows == 1)
      stage.expectSound()
    }
  }

  private func startDeaf(_ stage: Stage, _ remote: Remote<Int>) throws -> (Child<Screen>, Weak) {
    let child = try stage.root().scope.open("F")
    let flow = try #require(child.flow)
    flow.scope.task("deaf") { [flow] in
      _ = try await remote.call()
      #expect(!flow.scope.isCurrent)
    }
    return (child, Weak(flow))
  }

  // Fault: work that takes no notice of its end holds its flow, and nobody can say who does.
  @Test(arguments: [Hearing.deaf, .shielded])
  func c22_readingLoopKeepsItsFlowAlive_deafWork(_ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remote = Remote<Int>(lab, "g", hearing)
      let (child, held) = try startDeaf(stage, remote)
      await lab.settle()
      child.dismiss()
      await lab.settle()
      #expect(held.object != nil)
      let leaks = stage.runtime.leaks()
      #expect(leaks.map(\.id) == [child.id] && leaks.first?.name == "Screen")
      #expect(leaks.first?.holders.count == 1)
      #expect(leaks.first?.holders.first?.contains("deaf") == true)
      remote.gate.open(with: 1)
      await lab.settle()
      #expect(held.object == nil)
      #expect(stage.runtime.leaks().isEmpty)
      stage.expectSound()
    }
  }

  /// A child that waits for a service which it does not hold.
  final class Listener: Flow {
    let scope: FlowScope<String>
    weak var service: Service?
    init(_ scope: FlowScope<String>, _ service: Service) {
      self.scope = scope
      self.service = service
      service.onValue = { [weak self] in self?.scope.emit($0) }
    }
  }

  /// A service that tells values while it lives.
  final class Service {
    var onValue: (@MainActor (String) -> Void)?
  }

  private func startListener(
    _ owner: Screen, _ service: Service, _ reading: Reading, _ notes: Notes
  ) -> Child<Listener> {
    let heard: @MainActor (String) -> Void = { notes.add($0) }
    return owner.scope.start(
      Listener.self, { Listener($0, service) }, onOutput: reading == .closure ? heard : nil,
      onEnding: { notes.add("told \($0.kind)") })
  }

  // Fault: the producer is freed before its first value, nobody finishes the stream, and its
  // reader waits for ever.
  @Test(arguments: Reading.allCases, [EndingKind.dismissed, .cancelled, .ownerEnded])
  func c23_producerGoneStreamNeverEnds(_ reading: Reading, _ end: EndingKind) async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let owner = try #require(try stage.root().scope.open("P").flow)
      var service: Service? = Service()
      let freed = Weak(try #require(service))
      let child = startListener(owner, try #require(service), reading, notes)
      if reading != .closure {
        owner.scope.task {
          switch reading {
          case .closure, .outputs: for try await output in child.outputs { notes.add(output) }
          case .asyncStream: for await output in child.outputs.asyncStream { notes.add(output) }
          case .throwingStream:
            for try await output in child.outputs.asyncThrowingStream { notes.add(output) }
          }
          notes.add("ended(\(await child.ending.kind))")
        }
      }
      await lab.settle()
      service = nil
      #expect(freed.object == nil)
      await lab.settle()
      #expect(notes.lines.isEmpty && child.isCurrent)

      switch end {
      case .dismissed: child.dismiss()
      case .cancelled: child.cancel()
      default: stage.window.replaceRoot(Root { Screen($0, "next") })
      }
      await lab.settle()
      let told = end == .ownerEnded ? [] : ["told \(end)"]
      #expect(notes.lines == told + (reading == .closure ? [] : ["ended(\(end))"]))
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  /// A child with a state object, which it also tells.
  final class Item: Flow {
    final class State: Sendable {}
    struct Failure: Error { let state: State }
    let scope: FlowScope<State>
    let state = State()
    init(_ scope: FlowScope<State>) { self.scope = scope }
  }

  /// Starts a child and has it end; gives weak references to it and to its state.
  private func startItem(
    _ number: Int, _ owner: Screen, _ slot: Slot<Item>, _ notes: Notes, isStrong: Bool
  ) throws -> [Weak] {
    let child =
      isStrong
      ? owner.scope.start(
        in: slot, { Item($0) }, onOutput: { [owner] _ in notes.add(owner.name) },
        onEnding: { [owner] in notes.add("\(owner.name) \($0.kind)") })
      : owner.scope.start(in: slot) { Item($0) }
    let item = try #require(child.flow)
    switch number % 4 {
    case 0: item.scope.finish(item.state)
    case 1: child.dismiss()
    case 2: break  // replaced by the next one
    default: item.scope.task { throw Item.Failure(state: item.state) }
    }
    return [Weak(item), Weak(item.state)]
  }

  // Fault: ended children pile up with their owner, or the last one's state is held until the
  // next one comes.
  @Test(arguments: [false, true])
  func c38_parentNeverLetsGo(_ isStrong: Bool) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let owner = try #require(try stage.root().scope.open("P").flow)
      let slot = Slot<Item>()
      var held: [Weak] = []
      for number in 0..<100 {
        held += try startItem(number, owner, slot, notes, isStrong: isStrong)
        await lab.settle()
        // Finished ones in the last place, too: their value is not kept beyond the telling.
        if number % 4 == 0 { #expect(held.indices.filter { held[$0].object != nil } == []) }
      }
      #expect(held.count == 200)
      #expect(held.indices.filter { held[$0].object != nil } == [])
      #expect(slot.child == nil)
      #expect(stage.runtime.counts.flows == 2)
      #expect(stage.runtime.counts.operations == 0)
      #expect(stage.runtime.tree.split(separator: "\n").count == 4)
      for kind in [EndingKind.finished, .dismissed, .replaced, .failed] {
        #expect(notes.count("P \(kind)") == (isStrong ? 25 : 0))
      }
      stage.expectSound()
    }
  }
}
