// The app on the stage: events go in, and after each of them nothing is left to run. It is played in
// the lab, where time passes by events only: so the same events lead to the same end, always.

import Foundation
import LibraryApp
import Millrace
import MillraceTrace
import RaceLab

/// Why an event cannot be done now. It has changed nothing.
package struct PlayRefusal: Error, Equatable {
  package let what: String
  package let remedy: String
}

/// The app, its windows, and the hand of the user.
@MainActor
package final class PlaySession {
  let app: LibraryApp
  let log = PlayLog()
  /// The windows that are open, oldest first; one at least.
  package private(set) var windows: [PlayWindow]
  /// The window in front.
  package private(set) var front: PlayWindow { didSet { app.activate(front.window) } }
  /// The library in the process; nil for a server.
  let embedded: EmbeddedLibrary?
  /// Whether the place of the first window is kept.
  var keepsPlace = false
  /// True once the place was kept for the last time.
  var isOver = false
  private let lab: Lab
  private var lastNumber = 1

  /// Opens the app on the library in the process. To be made in the lab.
  package convenience init(_ lab: Lab, catalogue: Catalogue, seed: UInt64) async {
    let weather = LibraryWeather(
      seed: seed, latency: .milliseconds(20)...(.milliseconds(800)), faults: 0)
    let library = EmbeddedLibrary(
      catalogue: catalogue, today: CalendarDate.tourDay, weather: weather, clock: lab.clock)
    await self.init(lab, library: library, embedded: library, seed: seed)
  }

  /// Opens the app on a server. To be made in the lab: each event waits for the server's answers.
  package convenience init(_ lab: Lab, server: URL, seed: UInt64) async {
    let library = LiveLibrary(server: server) { request in
      try await lab.outside("a request to the server") { try await request() }
    }
    await self.init(lab, library: library, embedded: nil, seed: seed)
  }

  private init(
    _ lab: Lab, library: any LibraryService, embedded: EmbeddedLibrary?, seed: UInt64
  ) async {
    self.lab = lab
    self.embedded = embedded
    let host = TerminalHost()
    app = LibraryApp(
      service: library, clock: lab.clock, store: MemorySessionStore(), host: host, sink: log,
      seed: seed)
    front = PlayWindow(number: 1, host: host, window: app.window)
    windows = [front]
    await settle()
  }

  package var runtime: FlowRuntime { app.runtime }

  // MARK: - Events

  /// Does what the event says, and waits until nothing is left to run. Time does not pass by it,
  /// unless it is a wait.
  package func apply(_ event: PlayEvent) async throws(PlayRefusal) {
    switch event {
    case .choose(let name): try choose(name)
    case .type(let text, let name): try type(text, into: name)
    case .select(let tab): try select(tab)
    case .back(let id): try goBack(id)
    case .swipe(let id): try swipe(id)
    case .begin(let id): try begin(id)
    case .letGo:
      try requireGesture()
      front.host.letGo()
    case .complete:
      try requireGesture()
      front.host.complete()
    case .signOut:
      guard let tabs = app.signedIn ?? anySignedIn else {
        throw PlayRefusal(what: "nobody is signed in", remedy: "Sign in first.")
      }
      tabs.signOut()
    case .openLink(let link): open(link: link)
    case .lock: try lock()
    case .openWindow: try openWindow()
    case .useWindow(let number): try useWindow(number)
    case .closeWindow: try closeWindow()
    case .wait(let time): await wait(time)
    }
    await settle()
  }

  /// Waits until nothing is left to run, with the views of what has come.
  package func settle() async {
    await lab.settle()
    for window in windows { window.makeViews() }
    await lab.settle()
  }

  /// When something is due next, from now; nil if nobody waits for time to pass.
  package var nextDeadline: Duration? {
    lab.clock.nextDeadline.map { lab.clock.now.duration(to: $0) }
  }

  /// Lets so much time pass; nil for as much as somebody waits for.
  func wait(_ milliseconds: Int?) async {
    let end = lab.clock.now.advanced(by: .milliseconds(milliseconds ?? PlayEvent.longestWait))
    // From deadline to deadline: a screen that comes on the way asks for what it needs then.
    while let next = lab.clock.nextDeadline, next <= end {
      await lab.advance(to: next)
      await settle()
    }
    if milliseconds != nil { await lab.advance(to: end) }
  }

  private var anySignedIn: SignedInFlow? {
    windows.lazy.compactMap { $0.window.rootFlow as? SignedInFlow }.first
  }

  // MARK: - The screen on top

  private func item(_ name: String) throws(PlayRefusal) -> PageItem {
    let items = front.view(of: try free(nil))?.page.items ?? []
    if let item = items.first(where: { $0.text.name == name && $0.text.isActive }) { return item }
    let isThere = items.contains { $0.text.name == name }
    let names = items.filter(\.text.isActive).map { "\"\(printable($0.text.name))\"" }
    let offer = names.prefix(8).joined(separator: ", ") + (names.count > 8 ? " and more" : "")
    throw PlayRefusal(
      what: "\"\(printable(name))\" \(isThere ? "cannot be used now" : "is not on this screen")",
      remedy: offer.isEmpty ? "There is nothing to use on it." : "There are \(offer).")
  }

  private func choose(_ name: String) throws(PlayRefusal) {
    guard let choose = try item(name).choose else {
      throw PlayRefusal(
        what: "\"\(printable(name))\" is a field", remedy: "Use \"type\" to fill it in.")
    }
    choose()
  }

  private func type(_ text: String, into name: String) throws(PlayRefusal) {
    guard let type = try item(name).type else {
      throw PlayRefusal(
        what: "\"\(printable(name))\" is no field", remedy: "Use \"choose\" for it.")
    }
    type(text)
  }

  private func select(_ name: String) throws(PlayRefusal) {
    _ = try free(nil)
    let tabs = front.host.screens.visibleTabs
    guard let tab = tabs.first(where: { front.title(of: $0) == name }) else {
      let names = tabs.map { "\"\(printable(front.title(of: $0)))\"" }.joined(separator: ", ")
      throw PlayRefusal(
        what: "there is no tab \"\(printable(name))\" here",
        remedy: names.isEmpty ? "This screen has no tabs." : "There are \(names).")
    }
    front.host.select(tab)
  }

  private func goBack(_ id: FlowID?) throws(PlayRefusal) {
    let target = try free(id)
    if front.host.screens.contains(target) { try requireMovable(target) }
    front.host.connection?.navigate(.dismiss(target))
  }

  private func swipe(_ id: FlowID?) throws(PlayRefusal) {
    let target = try free(id)
    guard front.host.screens.contains(target) else { return front.host.reportLate(target) }
    try requireMovable(target)
    front.host.swipe(target)
  }

  private func begin(_ id: FlowID?) throws(PlayRefusal) {
    let target = try free(id)
    try requireMovable(target)
    front.host.begin(target)
  }

  /// The flow that is meant: the named one, or the one on top. The finger must be free.
  private func free(_ id: FlowID?) throws(PlayRefusal) -> FlowID {
    guard front.host.gesture == nil else {
      throw PlayRefusal(
        what: "a gesture is going on", remedy: "Let it go or complete it first.")
    }
    guard let id = id ?? front.top else {
      throw PlayRefusal(what: "the window shows nothing", remedy: "Open another window.")
    }
    return id
  }

  private func requireMovable(_ id: FlowID) throws(PlayRefusal) {
    guard front.host.canTakeAway(id) else {
      throw PlayRefusal(
        what: "\(printable(front.title(of: id))) cannot be taken away",
        remedy: "A first screen stays; an alert wants an answer; a cover is left from within.")
    }
  }

  private func requireGesture() throws(PlayRefusal) {
    guard front.host.gesture != nil else {
      throw PlayRefusal(what: "no gesture is going on", remedy: "Begin one first.")
    }
  }

  // MARK: - Windows

  /// The most windows that are open at once.
  package static let mostWindows = 9

  private func openWindow() throws(PlayRefusal) {
    guard windows.count < Self.mostWindows else {
      throw PlayRefusal(
        what: "\(Self.mostWindows) windows are open, the most there may be",
        remedy: "Close one first.")
    }
    let host = TerminalHost()
    lastNumber += 1
    front = PlayWindow(number: lastNumber, host: host, window: app.openWindow(host: host))
    windows.append(front)
  }

  private func useWindow(_ number: Int) throws(PlayRefusal) {
    guard let window = windows.first(where: { $0.number == number }) else {
      let numbers = windows.map { "\($0.number)" }.joined(separator: ", ")
      throw PlayRefusal(what: "there is no window \(number)", remedy: "There are \(numbers).")
    }
    front = window
  }

  private func closeWindow() throws(PlayRefusal) {
    guard windows.count > 1, let index = windows.firstIndex(where: { $0 === front }) else {
      throw PlayRefusal(what: "this is the last window", remedy: "Open another one first.")
    }
    front.window.close()
    windows.remove(at: index)
    front = windows[min(index, windows.count - 1)]
  }

  // MARK: - Looking

  /// What is wrong between tree, windows and hosts, or nil; to be asked after an event.
  package var fault: String? { windows.lazy.compactMap(\.fault).first }
}

extension Navigation {
  /// The first flows of the tabs that can be seen, in order.
  var visibleTabs: [FlowID] {
    var tabs: [FlowID] = []
    var stack = layers.last?.stack
    while let current = stack, let screen = current.screens.last {
      if !screen.tabs.isEmpty { tabs = screen.tabs.compactMap { $0.screens.first?.id } }
      stack = screen.selectedStack
    }
    return tabs
  }
}
