import Millrace
import RaceLab
import Testing

/// R3: an end is iterative and linear, however deep or wide the tree is. A recursive walk overflows
/// the stack here, a quadratic one does not come back; what is counted is that each node and each
/// run is handled exactly once. Two of the tests need no order of jobs and run outside of a lab,
/// which would number 100,000 tasks.
@Suite struct LongChainTests {
  private static let length = 100_000

  /// Counts events without keeping them.
  @MainActor
  private final class Counts: TraceSink {
    var ended = 0
    var told = 0
    var operationsEnded = 0
    var operationsQuiet = 0
    var others = 0
    func record(_ event: TraceEvent) {
      switch event {
      case .flowEnded: ended += 1
      case .flowTold: told += 1
      case .operationEnded: operationsEnded += 1
      case .operationQuiet: operationsQuiet += 1
      case .endBegan, .endApplied: break
      default: others += 1
      }
    }
  }

  /// Keeps its child, as coordinators do.
  @MainActor
  private final class Link: Flow {
    let scope: FlowScope<Never>
    private let counted: Counted
    var next: Child<Link>?
    init(_ scope: FlowScope<Never>, _ alive: Tally) {
      self.scope = scope
      counted = Counted(alive)
    }
  }

  /// Starts a chain of links below a flow; returns the top and the scope at the bottom.
  @MainActor
  private func chain(
    below scope: FlowScope<Int>, _ alive: Tally, length: Int = Self.length
  ) throws -> (top: Child<Link>, bottom: FlowScope<Never>) {
    let top = scope.start { Link($0, alive) }
    var last = try #require(top.flow)
    for _ in 1..<length {
      let child = last.scope.start { Link($0, alive) }
      last.next = child
      last = try #require(child.flow)
    }
    return (top, last.scope)
  }

  // A chain that recursion cannot walk ends in the call, and is freed.
  @Test func chain_endsInOneCallAndIsFreed() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
      stage.runtime.removeSink(stage.trace)
      do {
        let top = try chain(below: stage.scope, alive).top
        #expect(alive.value == Self.length)
        let counts = Counts()
        stage.runtime.addSink(counts)
        top.dismiss()
        #expect(!top.isCurrent)
        #expect(counts.ended == Self.length)
        #expect(counts.told == Self.length)
        #expect(counts.others == 0)
        #expect(stage.runtime.counts.flows == 1)
      }
      await lab.settle()
      #expect(alive.value == 0)
    }
  }

  // With the leak check on, what is watched must not grow into a second walk for each flow.
  @Test func chainWithLeakCheck_reportsNothing() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: true))
      stage.runtime.removeSink(stage.trace)
      do {
        let top = try chain(below: stage.scope, alive, length: 20_000).top
        top.dismiss()
      }
      await lab.settle()
      #expect(stage.runtime.leaks().isEmpty)
      #expect(alive.value == 0)
    }
  }

  // Deaf work at the bottom keeps the whole chain as remains, until it has finished.
  @Test func chainWithADeafTaskAtTheBottom_isLeftWhenItHasFinished() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
      stage.runtime.removeSink(stage.trace)
      let gate = lab.gate("deaf", .deaf)
      var top: Child<Link>?
      do {
        let made = try chain(below: stage.scope, alive)
        made.bottom.task("deaf") { try await gate.wait() }
        top = made.top
      }
      await lab.settle()
      top?.dismiss()
      #expect(alive.value == 0)
      let error = await #expect(throws: NotDrained.self) {
        try await stage.scope.drained(limit: .zero)
      }
      #expect(error?.leftovers.map(\.name) == ["deaf"])
      gate.open()
      await lab.settle()
      try await stage.scope.drained(limit: .zero)
      top = nil
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // The same when the runtime goes away first: its last work frees the chain from the bottom.
  @Test func chainWithADeafTask_outlivesItsRuntimeAndIsFreed() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      let gate = lab.gate("deaf", .deaf)
      do {
        let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
        stage.runtime.removeSink(stage.trace)
        let held = Counted(alive)
        try chain(below: stage.scope, alive).bottom.task("deaf") {
          try await gate.wait()
          held.touch()
        }
        await lab.settle()
      }
      await lab.settle()
      #expect(alive.value == 1)
      gate.open()
      await lab.settle()
      #expect(alive.value == 0)
    }
  }

  // The tree's text is read when something is wrong: it must not overflow on what went wrong.
  @Test func chain_hasATreeText() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
      stage.runtime.removeSink(stage.trace)
      let last = Held<FlowScope<Int>>(stage.scope)
      // The indentation alone is quadratic: shorter, and still deep.
      for _ in 0..<2_000 { last.value = try #require(last.value.step().scope) }
      #expect(stage.runtime.tree.split(separator: "\n").count == 2_003)
    }
  }

  // Many children of one flow: each leaves its siblings in constant time.
  @Test func fanOfChildren_endsInOneCall() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
      stage.runtime.removeSink(stage.trace)
      let owner = stage.scope.step()
      let scope = try #require(owner.scope)
      for _ in 0..<Self.length { scope.start { Link($0, alive) } }
      let counts = Counts()
      stage.runtime.addSink(counts)
      owner.dismiss()
      #expect(counts.ended == Self.length + 1)
      #expect(counts.told == Self.length + 1)
      #expect(counts.others == 0)
      #expect(alive.value == 0)
    }
  }

  // Children that end by themselves, oldest first, must not cost a search among their siblings.
  @Test func fanOfChildren_finishOneByOne() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
      stage.runtime.removeSink(stage.trace)
      var heard = 0
      var children: [Child<Step>] = []
      for _ in 0..<Self.length {
        children.append(stage.scope.step(onOutput: { heard += $0 }))
      }
      for child in children { child.flow?.scope.finish(1) }
      #expect(heard == Self.length)
      #expect(stage.runtime.counts.flows == 1)
    }
  }

  // Many operations of one flow are cancelled in the call, and none of their bodies runs.
  @Test @MainActor func fanOfOperations_isCancelledInOneCall() async throws {
    let stage = try Stage(clock: ContinuousClock(), options: RuntimeOptions(checksLeaks: false))
    stage.runtime.removeSink(stage.trace)
    let begun = Tally()
    let owner = stage.scope.step()
    let scope = try #require(owner.scope)
    for number in 0..<Self.length {
      switch number % 3 {
      case 0: scope.task { begun.add() }
      case 1: scope.perform("wide", .concurrent(.max)) { begun.add() }
      default: scope.perform("narrow", .queue) { begun.add() }
      }
    }
    let counts = Counts()
    stage.runtime.addSink(counts)
    owner.dismiss()
    #expect(counts.operationsEnded == Self.length)
    try await stage.runtime.drained(limit: .seconds(3_600))
    #expect(begun.value == 0)
    #expect(counts.operationsQuiet == Self.length)
    #expect(stage.runtime.counts.operations == 0)
  }

  // Children that finish in their own start all wait for the next job: none may search that queue.
  @Test func fanOfChildrenThatFinishInStart_isHeardInTheNextJob() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
      stage.runtime.removeSink(stage.trace)
      var heard = 0
      for _ in 0..<20_000 {
        stage.scope.step(start: { $0.scope.finish(1) }, onOutput: { heard += $0 })
      }
      #expect(heard == 0)
      await lab.settle()
      #expect(heard == 20_000)
    }
  }

  // Cancelling a key with a long line behind it must not search the line for each of them.
  @Test func longLineUnderOneKey_isCancelledInOneCall() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let begun = Tally()
      let counts = Counts()
      for _ in 0..<Self.length { stage.scope.perform("line", .queue) { begun.add() } }
      stage.runtime.removeSink(stage.trace)
      stage.runtime.addSink(counts)
      stage.scope.cancel("line")
      await lab.settle()
      #expect(begun.value == 0)
      #expect(counts.operationsQuiet == Self.length)
    }
  }

  // Work that ends in the order in which it began leaves a wide lane without a search.
  @Test @MainActor func wideLane_emptiesByItself() async throws {
    let stage = try Stage(clock: ContinuousClock())
    stage.runtime.removeSink(stage.trace)
    let begun = Tally()
    for _ in 0..<Self.length { stage.scope.perform("wide", .concurrent(.max)) { begun.add() } }
    try await stage.runtime.drained(limit: .seconds(3_600))
    #expect(begun.value == Self.length)
    #expect(stage.runtime.counts.operations == 0)
  }
}
