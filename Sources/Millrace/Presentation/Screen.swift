// One flow on display. A screen is a part of its flow's node: it comes with the flow, and when the
// flow ends it leaves, in the same step (R24).
//
//                ┌───────────── flow ends ─────────────┐
//   waiting ──▶ showing ── didShow ──▶ shown ──────────┴▶ leaving ── didDismiss ──▶ gone
//      └─────────────────────── flow ends ───────────────────────────────────────────▲
//
// waiting   in the navigation; the request for it waits for other transitions, and is dropped if
//           the flow ends
// showing   the host was asked
// shown     the host has reported it, or the host limit has passed, or there is no host
// leaving   not in the navigation any more; the host still shows it
// gone      nobody shows it
//
// Beside that a screen may be *provisional*: it is to take another's place, and the user's gesture
// decides. It is not in the navigation before that. Who owns what:
//
//   WindowOwner ── WindowDisplay   the layers, the queue of requests, the command in flight, the
//        │                         gesture, the screens that are leaving
//      flow ────── Screen          its state, and its links to the screens below and above
//        │
//      flows                       what is shown follows from them: `Navigation` is read off them
//
// Links are intrusive, as those of the tree: what one screen does costs nothing for the others.

@MainActor
final class Screen {
  let id: FlowID
  let presentation: Presentation
  let display: WindowDisplay
  /// The flow's node, until it ends.
  private(set) var node: AnyFlowNode?
  var state = ScreenState.waiting
  /// The nearest flow above it that is shown, when it was started.
  var over: FlowID?
  /// Its neighbours in its stack.
  var below: Screen?
  var above: Screen?
  var stack: ScreenStack?
  /// The stacks of its tabs, in order, and the one that is selected.
  var tabs: [ScreenStack] = []
  var selectedTab: ScreenStack?
  /// True if the latest report about its tabs was taken for the host's answer to a command.
  var wasToldOfSelection = false
  /// The latest that was to take its place and did not.
  var lastAbandoned: FlowID?
  /// What decides about it while it is provisional.
  var provisional: Provisional?
  /// True if a gesture brought it and none has begun on it since: a report that a gesture was
  /// completed is the same one again.
  var cameByGesture = false
  /// The provisional screen that is to take this one's place.
  var challenger: Screen?
  /// Of a screen that left a stack: the one that was under it.
  var uncovers: FlowID?
  /// When the host was last asked for it, in an order of its own: what came later is over it.
  var order = Int.max
  /// How often the host was to show it again.
  var lastAgain = 0
  /// True if the host was asked for it more than once: a report that it is gone may be older.
  var wasShownAgain: Bool { lastAgain > 0 }
  /// True once the host was asked for it.
  var wasAskedFor: Bool { order != .max }
  /// Set before its flow ends: the host has reported that this screen is gone.
  var isReportedGone = false
  /// Set before its flow ends: the host has reported that it is gone, and was asked for it since.
  var wasReportedGone = false
  /// Set before its flow ends: what comes takes its place, with one command.
  var vacancy: Vacancy?
  /// True when it was last seen to be covered, see Appearance.swift.
  var isCovered = false
  /// True if the host has reported that something covers it.
  var isCoveredByHost = false
  /// Key: number of a flow. Value: a flow on this screen that has work of lifetime `.appearance`.
  var appearing: [UInt64: AnyFlowNode] = [:]
  var showWaiters: [CheckedContinuation<Void, Never>] = []
  var dismissalWaiters: [CheckedContinuation<Void, Never>] = []
  var settlement: Dismissal.Settlement?
  /// When the flow ended, and how.
  var leftAt: Duration?
  private(set) var endedBy = EndingKind.cancelled
  /// True if it ended while it was provisional.
  private(set) var endedUndecided = false

  init(_ node: AnyFlowNode, _ display: WindowDisplay) {
    id = FlowID(rawValue: node.number)
    presentation = node.presentation
    self.display = display
    self.node = node
  }

  /// True while the flow lives.
  var isLive: Bool { state == .waiting || state == .showing || state == .shown }
  /// True if the host was asked for it, and its being gone was not reported.
  var isOnHost: Bool { state == .showing || state == .shown }
  /// True until the user's gesture has decided.
  var isProvisional: Bool { provisional?.isHeld ?? false }

  /// What this screen stands on: the one below in its stack, the one whose tab it is in, or the
  /// first of the layer under it.
  var lower: Screen? { below ?? stack?.container ?? stack?.under?.bottom }

  /// The first of what leaves together: what is under it stays.
  var leadsLeaving: Bool { lower?.isLive ?? true }

  /// The stack that a flow pushes on whose nearest screen is this one. A question has none: it is
  /// the one under it.
  var stackForPushes: ScreenStack? {
    var stack = stack
    while let question = stack, question.isQuestion { stack = question.under }
    return stack
  }

  /// The layer whose first screen this is.
  var layer: ScreenStack? { stack?.bottom === self && stack?.container == nil ? stack : nil }

  /// The layer that goes with this screen, if this is the first of the one under it.
  var layerOver: ScreenStack? { layer?.over }

  /// What rests on this screen directly and leaves with it, whoever owns it. Modals of other flows
  /// leave with the one under them only if the host had all of them, and says that the lowest is gone.
  var restingFlows: [AnyFlowNode] {
    var found: [AnyFlowNode] = []
    if let node = challenger?.node { found.append(node) }
    for tab in tabs { if let node = tab.bottom.node { found.append(node) } }
    if let node = above?.node { found.append(node) }
    var next = isReportedGone || wasReportedGone ? layerOver?.bottom : nil
    while let over = next, over.wasAskedFor {
      if let node = over.node { found.append(node) }
      next = over.layerOver?.bottom
    }
    return found
  }

  /// The flow has ended.
  func releaseNode() {
    endedUndecided = isProvisional
    if let kind = node?.cause?.kind { endedBy = kind }
    node = nil
    appearing = [:]
  }

  /// Lets go of all that it was linked with. Links go both ways: what is left of them would keep each
  /// other, the window and the runtime.
  func unlink() {
    tabs = []
    selectedTab = nil
    if let stack, stack.bottom === self { stack.over = nil }
    above = nil
    below = nil
    stack = nil
    challenger = nil
    vacancy = nil
  }

  func wake() {
    let waiters = showWaiters + dismissalWaiters
    showWaiters = []
    dismissalWaiters = []
    for waiter in waiters { waiter.resume() }
  }
}

/// Screens one over the other: the window's own stack, a modal's, or a tab's.
@MainActor
final class ScreenStack {
  var bottom: Screen
  var top: Screen
  /// The screen whose tab this is.
  var container: Screen?
  /// Of a layer: the layers under and over it.
  var under: ScreenStack?
  var over: ScreenStack?

  init(_ screen: Screen) {
    bottom = screen
    top = screen
  }

  var isQuestion: Bool { bottom.presentation.isQuestion }

  func push(_ screen: Screen) {
    screen.stack = self
    screen.below = top
    top.above = screen
    top = screen
  }
}

extension Owner {
  /// The screen that this node is on: its own, or that of the nearest owner that has one.
  final var nearestScreen: Screen? {
    var next: Owner? = self
    while let node = next {
      if let screen = node.screen { return screen }
      next = node.parent
    }
    return nil
  }
}
