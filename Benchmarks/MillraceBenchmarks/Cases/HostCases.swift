// What leaves the tree: screens that a host shows and takes away, and writes that are kept.

import Millrace

/// A host that does at once what it is asked, and reports it.
@MainActor
private final class PromptHost: Host {
  private var connection: HostConnection?
  private(set) var count = 0

  func connect(_ connection: HostConnection) { self.connection = connection }

  func perform(_ command: HostCommand) {
    count += 1
    connection?.report(command.report)
  }
}

/// The same by hand: a path of children, and who is leaving until it is reported.
@MainActor
private final class HandNavigator {
  private let parent = HandParent()
  private var path: [Int] = []
  private var leaving: Set<Int> = []
  private var host: ((_ shows: Bool, _ id: Int) -> Void)?
  private(set) var count = 0

  init() {
    host = { [weak self] shows, id in
      self?.count += 1
      if !shows { self?.leaving.remove(id) }
    }
  }

  func push() -> Int {
    let id = parent.attach().0
    path.append(id)
    host?(true, id)
    return id
  }

  func pop(_ id: Int) {
    guard let index = path.lastIndex(of: id) else { return }
    for above in path[index...].reversed() {
      parent.dismiss(above)
      leaving.insert(above)
      host?(false, above)
    }
    path.removeSubrange(index...)
  }
}

/// A server that is never called: the runtime is offline.
private struct Nowhere: WriteService {
  struct Unreachable: Error {}
  func validate(_ write: Write, for account: Account) async throws {}
  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer { throw Unreachable() }
  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus { throw Unreachable() }
}

/// The same by hand: a table of intents, and a journal behind an actor that is written in order.
@MainActor
private final class HandWrites {
  private actor Journal {
    private var kept: [String: [UInt8]] = [:]
    func keep(_ writes: [(String, [UInt8])]) { for (key, body) in writes { kept[key] = body } }
  }

  private enum Phase { case submitted, validated }
  private let journal = Journal()
  private var phases: [String: Phase] = [:]
  private var waiting: [(String, [UInt8])] = []
  private var isKeeping = false
  private let latch: Latch

  init(_ latch: Latch) { self.latch = latch }

  func submit(_ key: String, _ body: [UInt8]) -> Bool {
    guard phases[key] == nil else { return false }
    phases[key] = .submitted
    waiting.append((key, body))
    if !isKeeping {
      isKeeping = true
      Task { await keep() }
    }
    return true
  }

  private func keep() async {
    while !waiting.isEmpty {
      let batch = waiting
      waiting = []
      await journal.keep(batch)
      for (key, _) in batch { phases[key] = .validated }
      for _ in batch { latch.arrive() }
    }
    isKeeping = false
  }
}

@MainActor
func hostCases() -> [Case] {
  let host = PromptHost()
  let runtime = FlowRuntime(clock: StillClock(), options: RuntimeOptions(checksLeaks: false))
  let window = runtime.openWindow(host: host) { _ in Root { Leaf(scope: $0) } }
  let latch = Latch()
  return [
    Case(
      name: "navigation, push and pop", unit: "screen",
      twin: "a path of callback children, a host, and who is leaving", bar: .unset, count: 5000
    ) { region, count in
      guard let root = window.rootFlow as? Leaf else { return }
      let before = host.count
      region.open()
      for _ in 0..<count {
        root.scope.start(as: .push) { Leaf(scope: $0) }.dismiss()
        // What a screen leaves behind, such as the sleep of its timer, belongs to it.
        await Task.yield()
      }
      region.close()
      precondition(host.count - before >= 2 * count && runtime.counts.flows == 1)
    } hand: { region, count in
      let navigator = HandNavigator()
      region.open()
      for _ in 0..<count {
        navigator.pop(navigator.push())
        await Task.yield()
      }
      region.close()
      precondition(navigator.count == 2 * count)
    },
    Case(
      name: "write, submit until it is kept", unit: "write",
      twin: "a table of intents and a batched journal behind an actor", bar: .unset, count: 5000
    ) { region, count in
      let runtime = FlowRuntime(
        clock: StillClock(), options: RuntimeOptions(checksLeaks: false),
        writes: WriteOptions(service: Nowhere(), journal: MemoryWriteJournal()))
      runtime.connectivity = .offline
      runtime.signIn(Account("anna"))
      let window = runtime.openWindow { _ in Root { Leaf(scope: $0) } }
      guard let scope = (window.rootFlow as? Leaf)?.scope else { return }
      let writes = (0..<count).map { Write("loan", intent: Intent(), body: [UInt8($0 & 0xFF)]) }
      await settle()
      region.open()
      for write in writes { scope.submit(write) }
      if let last = writes.last { _ = try? await scope.phase(of: last.intent, until: .validated) }
      region.close()
      window.close()
      runtime.signOut()
    } hand: { region, count in
      let hand = HandWrites(latch)
      let writes = (0..<count).map { (Intent().key, [UInt8($0 & 0xFF)]) }
      region.open()
      for (key, body) in writes { _ = hand.submit(key, body) }
      await latch.wait(for: count)
      region.close()
    },
  ]
}
