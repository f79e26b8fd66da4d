// How a subtree ends. Keeps R3 and R5.
//
//   mark   the whole subtree is not current any more, its queued deliveries are dropped
//   fix    deepest first, siblings youngest first: endings are fixed, tellings queued
//   stop   in the same order: operations cancelled, closures released, the links taken apart
//
// Cancelling and releasing run foreign code (cancellation handlers, deinitializers). By then the
// whole subtree is inert and its tellings are queued, and an end counts as a turn: what that code
// asks for is told after it. Every walk is iterative.

extension RuntimeCore {
  /// Ends a node and all below it. The caller drains the turn queue.
  @discardableResult
  func end(_ top: Owner, _ cause: EndCause) -> Acceptance {
    guard top.isRunning else { return refuse(.endAfterEnd, top) }
    turnDepth += 1
    defer { turnDepth -= 1 }
    trace { .endBegan(top.flowID, name: top.name, cause.kind) }
    if mark(top, cause) { releaseDeferredBelowEnded() }
    fix(top)
    dismissFromHost(top)
    stop(top)
    trace { .endApplied(top.flowID, name: top.name) }
    return .accepted
  }

  /// Ends several separate subtrees as one step, in the order given. The last one gives it its name.
  func end(_ tops: [Owner], _ cause: EndCause) {
    let running = tops.filter(\.isRunning)
    guard let named = running.last else { return }
    turnDepth += 1
    defer { turnDepth -= 1 }
    trace { .endBegan(named.flowID, name: named.name, cause.kind) }
    var overtakes = false
    for top in running where mark(top, cause) { overtakes = true }
    if overtakes { releaseDeferredBelowEnded() }
    for top in running { fix(top) }
    for top in running { dismissFromHost(top) }
    for top in running { stop(top) }
    trace { .endApplied(named.flowID, name: named.name) }
  }

  /// - Returns: whether something below waits for the next main-actor job.
  private func mark(_ top: Owner, _ cause: EndCause) -> Bool {
    var overtakes = false
    var next: Owner? = top
    while let node = next {
      if node.deferredBelow > 0 { overtakes = true }
      node.phase = .ended
      let own = node === top ? cause : causeBelow(top, cause, node)
      node.cause = own
      node.dropUnread(own)
      if let child = node.oldestChild {
        next = child
      } else {
        var up = node
        while up !== top, up.younger == nil, let parent = up.parent { up = parent }
        next = up === top ? nil : up.younger
      }
    }
    top.parent?.unlink(top)
    return overtakes
  }

  private func causeBelow(_ top: Owner, _ cause: EndCause, _ node: Owner) -> EndCause {
    if case .sessionEnded = cause, node.session === top.session { return .sessionEnded }
    return .ownerEnded
  }

  private func fix(_ top: Owner) {
    var node = deepestYoungest(top)
    while true {
      if let cause = node.cause { node.fixEnding(cause) }
      queueTelling(node)
      if node === top { return }
      node = node.older.map(deepestYoungest) ?? node.parent ?? top
    }
  }

  private func queueTelling(_ node: Owner) {
    if node.tellsInNextJob {
      deliverInNextJob(.ending(node))
    } else {
      due.append(.ending(node))
    }
  }

  private func stop(_ top: Owner) {
    var node = deepestYoungest(top)
    while true {
      let isTop = node === top
      let older = node.older
      let parent = node.parent
      if let cause = node.cause {
        node.cancelRuns(isTop ? cause.operationCause : .init(below: cause))
      }
      if !isTop { node.releaseHandlers() }
      node.releaseLoans()
      if !isTop { parent?.unlink(node) }
      if !node.isQuiet { parent?.link(node, .remains) }
      if isTop { return }
      node = older.map(deepestYoungest) ?? parent ?? top
    }
  }

  private func deepestYoungest(_ node: Owner) -> Owner {
    var node = node
    while let child = node.youngestChild { node = child }
    return node
  }
}

extension CancellationCause {
  /// What operations are told whose flow ended because of one above it.
  fileprivate init(below cause: EndCause) {
    if case .sessionEnded = cause { self = .sessionEnded } else { self = .ownerEnded }
  }
}

extension Owner {
  /// Cancels what runs here, youngest first.
  final func cancelRuns(_ cause: CancellationCause) {
    guard lastRun != nil else { return }
    lanes?.close()
    lanes = nil
    let time = core.timers.now
    for run in runsYoungestFirst where !run.survivesEnd {
      run.forgetLane()
      run.cancel(cause, at: time)
    }
  }
}
