// How a subtree ends. Keeps R3 and R5.
//
//   mark   the whole subtree is not current any more, its queued deliveries are dropped
//   fix    deepest first, siblings youngest first: endings are fixed, tellings queued
//   leave  the screens leave the navigation; what was put above them ends in the same step (R24)
//   stop   in the order of fix: operations cancelled, closures released, the links taken apart
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
    var marked = Marked()
    mark(top, cause, &marked)
    if marked.screens.isEmpty {
      if marked.overtakes { releaseDeferredBelowEnded() }
      fix(top)
      stop(top)
      lastLeft = []
      trace { .endApplied(top.flowID, name: top.name) }
    } else {
      finishEnd([top], &marked, named: top)
    }
    return .accepted
  }

  /// Ends several separate subtrees as one step, in the order given. The last one gives it its name.
  func end(_ tops: [Owner], _ cause: EndCause) {
    let running = tops.filter(\.isRunning)
    guard let named = running.last else { return }
    turnDepth += 1
    defer { turnDepth -= 1 }
    trace { .endBegan(named.flowID, name: named.name, cause.kind) }
    var marked = Marked()
    for top in running { mark(top, cause, &marked) }
    finishEnd(running, &marked, named: named)
  }

  /// What the first step of an end came across.
  private struct Marked {
    /// The screens of flows that end, those that stand lower first.
    var screens: [Screen] = []
    /// Whether something below waits for the next main-actor job.
    var overtakes = false
  }

  /// Takes along what stands above the screens that leave, and goes through the other steps.
  private func finishEnd(_ tops: [Owner], _ marked: inout Marked, named: Owner) {
    var tops = tops
    let given = tops.count
    var index = 0
    while index < marked.screens.count {
      for node in marked.screens[index].restingFlows where node.isRunning {
        tops.append(node)
        mark(node, .dismissed, &marked)
      }
      index += 1
    }
    // The highest ends first; those that were asked for come in the order given.
    let order = Array(tops[given...].reversed()) + tops[..<given]
    if marked.overtakes { releaseDeferredBelowEnded() }
    for top in order { fix(top) }
    let left = leave(marked.screens)
    for top in order { stop(top) }
    for screen in marked.screens { screen.provisional?.discard() }
    trace { .endApplied(named.flowID, name: named.name) }
    for display in left.displays { display.pump() }
    lastLeft = left.leads
  }

  private func mark(_ top: Owner, _ cause: EndCause, _ marked: inout Marked) {
    var next: Owner? = top
    while let node = next {
      if node.deferredBelow > 0 { marked.overtakes = true }
      node.phase = .ended
      if let screen = node.screen { marked.screens.append(screen) }
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
        node.cancelRuns(cause.operationCause)
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

extension Owner {
  /// Cancels what runs here, youngest first.
  final func cancelRuns(_ cause: CancellationCause) {
    // Idle ones too: each knows its owner.
    if let lanes {
      lanes.close()
      self.lanes = nil
    }
    guard lastRun != nil else { return }
    let time = core.timers.now
    var next = lastRun
    while let run = next {
      next = run.previous
      if !run.survivesEnd {
        run.forgetLane()
        run.cancel(cause, at: time)
      }
      // Foreign code may have taken the next one out of the list: then once more from its end, past
      // those that have their outcome.
      if let left = next, left.owner == nil { next = lastRun }
    }
  }
}
