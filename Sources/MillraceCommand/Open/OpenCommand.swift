// `millrace open URL`: takes a link through the app, and shows what each part of the way says: how it
// is read, what it would change, the checks, the verdict, and what is shown in the end.

import LibraryApp
import Millrace
import MillraceRoutes
import Synchronization

/// The app on its way through one link.
@MainActor
struct OpenCommand {
  private let app: LibraryApp
  private let library: EmbeddedLibrary
  private let host = TourHost()
  private let checks = CheckNotes()

  /// What was shown and asked.
  private(set) var lines: [String] = []

  private final class CheckNotes: Sendable {
    private let notes = Mutex<[String]>([])
    func add(_ note: String) { notes.withLock { $0.append(note) } }
    func take() -> [String] {
      notes.withLock { notes in
        defer { notes = [] }
        return notes
      }
    }
  }

  /// Runs the command.
  ///
  /// - Returns: what to print, and how the link fared.
  static func run(
    _ options: OpenOptions, catalogue: Catalogue
  ) async throws -> (text: String, verdict: LinkVerdict) {
    var command = OpenCommand(catalogue)
    if !options.isSignedOut { try await command.signIn() }
    if let before = options.before {
      let verdict = await command.deliver(before)
      guard verdict == .routed else {
        command.add("before", ["\(before): \(verdict)"])
        return (command.lines.joined(separator: "\n"), verdict)
      }
      _ = command.checks.take()
    }
    let verdict = await command.open(options.url)
    let text = command.lines.joined(separator: "\n")
    command.app.close()
    return (text, verdict)
  }

  private init(_ catalogue: Catalogue) {
    library = EmbeddedLibrary(
      catalogue: catalogue, today: CalendarDate.tourDay, clock: InstantClock())
    app = LibraryApp(service: library, host: host, seed: 1)
    app.openLinks { [checks] route, answer in checks.add("\(route): \(answer.word)") }
    host.acknowledge(to: app.window)
  }

  /// A member who has just joined signs in.
  private func signIn() async throws {
    guard let signIn = app.signIn else { return }
    let card = try await library.register(name: "Ada", pin: "1815")
    signIn.number = card.number
    signIn.pin = card.pin
    signIn.signIn()
    while app.signedIn == nil, signIn.notice == nil {
      try await app.runtime.drained(limit: .seconds(10))
    }
    host.acknowledge(to: app.window)
  }

  private func deliver(_ url: String) async -> LinkVerdict {
    let delivery = app.links.deliver(url)
    let verdict = await delivery.decided()
    host.acknowledge(to: app.window)
    return verdict
  }

  private mutating func open(_ url: String) async -> LinkVerdict {
    do {
      let link = try LibraryRoute.links.parse(url)
      add("place", ["\(link.route)" + (link.account.map { ", for account \($0)" } ?? "")])
      add("way", [link.route.way.map { "\($0)" }.joined(separator: " › ")])
      add("printed", [(try? LibraryRoute.links.print(link)) ?? "not at all"])
      add("shown now", "\(app.window.navigation)".split(separator: "\n").map(String.init))
      let plan = app.links.plan(link.route)
      let change = plan.map { $0.changesNothing ? "nothing: it is on top already" : "\($0)" }
      add(
        "plan",
        (change ?? "none yet: the window shows another root").split(separator: "\n").map(
          String.init))
    } catch {
      add("read", ["\(error)"])
    }
    let verdict = await deliver(url)
    let made = checks.take()
    add("checks", made.isEmpty ? ["none were made"] : made)
    add("verdict", ["\(verdict)"])
    add("shown then", "\(app.window.navigation)".split(separator: "\n").map(String.init))
    return verdict
  }

  private mutating func add(_ title: String, _ text: [String]) {
    for (index, line) in text.enumerated() {
      lines.append(padded(index == 0 ? title : "", to: 12) + line)
    }
  }
}

extension RouteAnswer {
  /// The answer in words.
  fileprivate var word: String {
    switch self {
    case .allowed: "allowed"
    case .notPermitted: "not permitted"
    case .notFound: "not found"
    }
  }
}
