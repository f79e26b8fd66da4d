// The hand-written twins of flows: a child with synchronous callbacks, and a tree of owners that
// ends from the leaves up, with its tasks.

/// A child with a callback, an ending that one may wait for, and nothing else.
@MainActor
final class HandChild {
  var onOutput: ((Int) -> Void)?
  private var result: Int?
  private var waiter: CheckedContinuation<Int, Never>?

  func emit(_ value: Int) { onOutput?(value) }

  func finish(_ value: Int) {
    guard result == nil else { return }
    result = value
    onOutput = nil
    let waiter = waiter
    self.waiter = nil
    waiter?.resume(returning: value)
  }

  func ending() async -> Int {
    if let result { return result }
    return await withCheckedContinuation { waiter = $0 }
  }
}

/// A parent that takes outputs of the children that are current.
@MainActor
final class HandParent {
  private var children: [Int: HandChild] = [:]
  private var last = 0
  var sum = 0

  func attach() -> (Int, HandChild) {
    last += 1
    let id = last
    let child = HandChild()
    child.onOutput = { [weak self] value in
      guard let self, self.children[id] != nil else { return }
      self.sum += value
    }
    children[id] = child
    return (id, child)
  }

  func dismiss(_ id: Int) { children.removeValue(forKey: id)?.onOutput = nil }

  func finish(_ id: Int, _ value: Int) { children.removeValue(forKey: id)?.finish(value) }
}

/// A node of a tree of owners, each with a table of tasks and one of children.
@MainActor
final class HandNode {
  private let id: Int
  private weak var parent: HandNode?
  private var children: [Int: HandNode] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var last = 0
  private(set) var isEnded = false
  var onEnding: (() -> Void)?

  init(id: Int = 0, parent: HandNode? = nil) {
    self.id = id
    self.parent = parent
  }

  func start() -> HandNode {
    last += 1
    let child = HandNode(id: last, parent: self)
    children[last] = child
    return child
  }

  func task(_ body: @escaping @MainActor () async -> Void) {
    guard !isEnded else { return }
    last += 1
    let id = last
    tasks[id] = Task {
      await body()
      self.tasks[id] = nil
    }
  }

  /// Ends the tree, the leaves first: nothing below is current when the first task is cancelled.
  func end() {
    guard !isEnded else { return }
    var nodes = [self]
    var next = 0
    while next < nodes.count {
      let node = nodes[next]
      node.isEnded = true
      nodes.append(contentsOf: node.children.values)
      next += 1
    }
    parent?.children[id] = nil
    for node in nodes.reversed() {
      for task in node.tasks.values { task.cancel() }
      node.tasks.removeAll()
      node.children.removeAll()
      node.onEnding?()
      node.onEnding = nil
    }
  }
}
