// `millrace open URL`: takes a link through the app, and shows what each part of the way says: how it
// is read, what it would change, the checks, the verdict, and what is shown in the end.

import LibraryApp
import Millrace
import MillraceFiles
import MillraceRoutes
import RaceLab

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
    private let notes = Guarded<[String]>([])
    func add(_ note: String) { notes.withLock { $0.append(note) } }
    func take() -> [String] {
      notes.withLock { notes in
        defer { notes = [] }
        return notes
      }
    }
  }

  /// Who is signed in, and who was before where the state says so.
  private var ada: LibraryCard?

  /// Which of the links of the command line.
  enum Which {
    case before, link

    /// How messages name it.
    var words: String { self == .before ? "the link of --before" : "the link" }
  }

  /// Runs the command.
  ///
  /// - Returns: what to print, how the last link fared that was delivered, and which it was.
  static func run(
    _ options: OpenOptions, catalogue: Catalogue
  ) async throws -> (text: String, verdict: LinkVerdict, link: Which) {
    var command = OpenCommand(catalogue)
    defer { command.app.close() }
    try await command.enter(options.state)
    if let before = options.before {
      let verdict = await command.deliver(before)
      guard verdict == .routed else {
        command.add("before", ["\(before): \(verdict)"])
        return (command.lines.joined(separator: "\n"), verdict, .before)
      }
      _ = command.checks.take()
    }
    if options.state == .locked { command.lock() }
    let verdict = try await command.open(options.url, answers: options.answers)
    return (command.lines.joined(separator: "\n"), verdict, .link)
  }

  private init(_ catalogue: Catalogue) {
    library = EmbeddedLibrary(
      catalogue: catalogue, today: CalendarDate.tourDay, clock: InstantClock())
    app = LibraryApp(service: library, host: host, seed: 1)
    app.openLinks { [checks] route, answer in checks.add("\(route): \(answer.word)") }
    acknowledge()
  }

  private func acknowledge() { host.acknowledge(to: app.window) }

  // MARK: - The state that the link finds

  private mutating func enter(_ state: OpenOptions.State) async throws {
    guard state != .signedOut else { return }
    try await signIn(try await cardOfAda())
    guard state == .otherAccount else { return }
    app.signedIn?.signOut()
    acknowledge()
    try await signIn(try await library.register(name: "Grace", pin: "1906"))
  }

  /// She joins when she is first asked for it.
  private mutating func cardOfAda() async throws -> LibraryCard {
    if let ada { return ada }
    let card = try await library.register(name: "Ada", pin: "1815")
    ada = card
    return card
  }

  private func signIn(_ card: LibraryCard) async throws {
    guard let signIn = app.signIn else { return }
    signIn.signIn(with: card)
    try await signIn.scope.drained(limit: .seconds(10))
    acknowledge()
  }

  private func lock() {
    app.lock.lock()
    acknowledge()
  }

  // MARK: - The link

  private func deliver(_ url: String) async -> LinkVerdict {
    let delivery = app.links.deliver(url)
    let verdict = await delivery.decided()
    acknowledge()
    return verdict
  }

  private mutating func open(_ url: String, answers: Bool) async throws -> LinkVerdict {
    do {
      let link = try LibraryRoute.links.parse(url)
      add("place", ["\(link.route)" + (link.account.map { ", for account \($0)" } ?? "")])
      add("way", [link.route.way.map { "\($0)" }.joined(separator: " › ")])
      add("printed", [(try? LibraryRoute.links.print(link)) ?? "not at all"])
      add("shown now", app.window.navigation)
      let plan = app.links.plan(link.route)
      let change = plan.map { $0.changesNothing ? "nothing: it is on top already" : "\($0)" }
      add("plan", change ?? "none yet: the window shows another root")
    } catch {
      add("read", ["\(error)"])
    }
    let verdict = try await follow(url, answers: answers)
    add("shown then", app.window.navigation)
    return verdict
  }

  /// Delivers the link, and goes with it from one verdict to the next.
  private mutating func follow(_ url: String, answers: Bool) async throws -> LinkVerdict {
    let (verdicts, told) = AsyncStream<LinkVerdict>.makeStream()
    app.links.onVerdict = { told.yield($0.verdict) }
    let delivery = app.links.deliver(url)
    for await verdict in verdicts where verdict != .deciding {
      let made = checks.take()
      if !made.isEmpty || !answers { add("checks", made.isEmpty ? ["none were made"] : made) }
      add("verdict", ["\(verdict)"])
      acknowledge()
      // What is told may be over by now.
      if verdict.isFinal { break }
      guard delivery.verdict == verdict else { continue }
      guard answers, let answer = try await answer(verdict) else { break }
      add("answer", [answer])
    }
    return delivery.verdict
  }

  /// Does what the link waits for.
  ///
  /// - Returns: what was done; nil if there is nothing to do.
  private mutating func answer(_ verdict: LinkVerdict) async throws -> String? {
    switch verdict {
    case .parked(.locked):
      guard let screen = app.signedIn?.lockScreen.child?.flow, let ada else { return nil }
      screen.pin = ada.pin
      screen.unlock()
      acknowledge()
      return "Ada types her PIN"
    case .parked(.needsAccountSwitch):
      let top = app.window.navigation.top.flatMap { app.window.flow($0.id) }
      guard let question = top as? any AlertPresenting else { return nil }
      question.choose(0)
      return "Grace lets the app change the account"
    case .parked(.needsSignIn):
      try await signIn(try await cardOfAda())
      return "Ada signs in"
    case .parked(.transition): return "the host reports that it is done"
    case .deciding, .parked, .routed, .superseded, .rejected: return nil
    }
  }

  private mutating func add(_ title: String, _ text: some CustomStringConvertible) {
    add(title, "\(text)".split(separator: "\n").map(String.init))
  }

  private mutating func add(_ title: String, _ text: [String]) {
    for (index, line) in text.enumerated() {
      // A link can bring control characters along.
      lines.append(padded(index == 0 ? title : "", to: 12) + legible(line, most: 1_000))
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
