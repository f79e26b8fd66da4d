// A node of the ownership tree: runtime, window, session or flow. Keeps R1: one owner each.
//
// Children and runs are intrusive lists, oldest first, so that adding and removing is O(1), the
// youngest is found at once, and ending a tree needs neither recursion nor memory. The ends of the
// lists are plain properties: a mutating struct would be a long access, checked at run time.
//
//   running ── end ──▶ ended ── told ──▶ told
//
// An ended node leaves its owner's children. If tasks below it are still running it joins its
// owner's remains, so that `drained` can name them, until the last of them has finished.

@MainActor @usableFromInline
class Owner {
  enum Phase: UInt8 { case running, ended, told }
  enum Place: UInt8 { case nowhere, children, remains }

  final let core: RuntimeCore
  final let number: UInt64
  final var phase = Phase.running
  final var place = Place.nowhere
  final var parent: Owner?
  final var older: Owner?
  final var younger: Owner?
  final var oldestChild: Owner?
  final var youngestChild: Owner?
  final var oldestRemain: Owner?
  final var youngestRemain: Owner?
  /// No end for the oldest run: each reference to a run would be counted, and few ask for it.
  final var lastRun: AnyOperation?
  final var lanes: LaneTable?
  /// How many deliveries of its children wait for the next main-actor job.
  final var deferredBelow = 0
  /// Set in the state step.
  final var cause: EndCause?
  /// Of a flow on display, or one that was: its screen.
  final var screen: Screen?

  init(core: RuntimeCore, parent: Owner?) {
    self.core = core
    self.number = core.nextNumber()
    self.parent = parent
    if let parent { parent.link(self, .children) }
  }

  @usableFromInline final var isRunning: Bool { phase == .running }
  /// `cause` for what is compiled elsewhere: a property that is known there is a checked access.
  @usableFromInline final var causeOfEnd: EndCause? { cause }

  /// The flow's id, or nil for a runtime, window or session.
  var flowID: FlowID? { nil }
  var name: String { "runtime" }
  /// The session whose epoch this node belongs to.
  var session: SessionOwner? { nil }

  // What the steps of an end do here; see EndSequence.swift.
  func dropUnread(_ cause: EndCause) {}
  func fixEnding(_ cause: EndCause) {}
  func releaseHandlers() {}
  func releaseLoans() {}
  func tell() {
    phase = .told
    leaveIfQuiet()
  }
  /// True while what the flow tells its owner has to wait for the next main-actor job.
  var tellsInNextJob: Bool { false }

  // MARK: - Lists

  final func link(_ node: Owner, _ place: Place) {
    node.place = place
    let youngest: Owner?
    if place == .children {
      youngest = youngestChild.take()
      youngestChild = node
      if youngest == nil { oldestChild = node }
    } else {
      youngest = youngestRemain.take()
      youngestRemain = node
      if youngest == nil { oldestRemain = node }
    }
    youngest?.younger = node
    node.older = youngest
  }

  final func unlink(_ node: Owner) {
    // Taken, not copied: each copy would be counted.
    let older = node.older.take()
    let younger = node.younger.take()
    switch node.place {
    case .nowhere: return
    case .children:
      if older == nil { oldestChild = younger }
      if younger == nil { youngestChild = older }
    case .remains:
      if older == nil { oldestRemain = younger }
      if younger == nil { youngestRemain = older }
    }
    older?.younger = younger
    younger?.older = older
    node.place = .nowhere
  }

  final func append(_ run: AnyOperation) {
    if let last = lastRun.take() {
      last.next = run
      run.previous = last
    }
    lastRun = run
  }

  final func remove(_ run: AnyOperation) {
    let previous = run.previous.take()
    let next = run.next.take()
    previous?.next = next
    if let next { next.previous = previous } else { lastRun = previous }
  }

  /// A copy of the runs, oldest first, to walk along while foreign code takes runs out.
  final var runs: [AnyOperation] {
    var copy: [AnyOperation] = []
    var next = lastRun
    while let run = next {
      copy.append(run)
      next = run.previous
    }
    copy.reverse()
    return copy
  }

  /// True if no task of this node or below is left.
  final var isQuiet: Bool { lastRun == nil && oldestChild == nil && oldestRemain == nil }

  /// Lets go of the owner once the end is told and the work below has finished; then the owner
  /// may be able to do the same. Iterative: a chain may be 100,000 long.
  final func leaveIfQuiet() {
    var next: Owner? = self
    while let node = next, node.phase == .told, node.isQuiet, let parent = node.parent {
      parent.unlink(node)
      node.parent = nil
      next = parent
    }
  }
}

/// A window: the owner of one root flow.
final class WindowOwner: Owner {
  /// What the window shows.
  var display: WindowDisplay?

  override var name: String { "window" }
}

/// A session: the owner of its session-lifetime operations and joined runs.
final class SessionOwner: Owner {
  let value: Session
  var isOpen = true
  /// Key: number of a flow that belongs to this epoch while its owner does not. Value: that flow.
  var roots: [UInt64: Owner] = [:]
  let joins = JoinTable()
  /// As signed in, restored or updated.
  var credential: [UInt8]
  /// Key: a number in order of hand-over. Value: the record, until it is delivered.
  var undelivered: [UInt64: Handover] = [:]

  init(core: RuntimeCore, parent: Owner, stored: StoredSession) {
    credential = stored.credential
    value = Session(account: stored.account, epoch: Epoch(rawValue: core.nextNumber()))
    super.init(core: core, parent: parent)
  }

  override var name: String { "session" }
  override var session: SessionOwner? { self }

  /// Kept answers go with the epoch, whoever still holds a flow of it.
  override func releaseLoans() { joins.removeAll() }
}
