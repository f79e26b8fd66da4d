// A script of events, played line by line. Prints each event and what happened by it; the same
// script prints the same text, always.

import LibraryApp
import Millrace

/// How a script is played.
package struct ScriptOptions: Equatable, Sendable {
  /// Whether the first wrong line ends it.
  package var isStrict = false
  /// Whether only the end is printed.
  package var isQuiet = false

  package init(isStrict: Bool = false, isQuiet: Bool = false) {
    self.isStrict = isStrict
    self.isQuiet = isQuiet
  }
}

/// Plays a script on a session.
@MainActor
package struct ScriptRun {
  /// A line that was not played, and why.
  package struct WrongLine: Equatable, Sendable {
    package let number: Int
    package let what: String
    package let remedy: String
  }

  /// What is told on the way.
  package struct Output {
    /// Takes what happened, a line or more at a time, without the last line end.
    var happened: @MainActor (String) throws -> Void
    /// Takes each wrong line.
    var wrong: @MainActor (WrongLine) -> Void
    /// Takes each event that was played, for a recording.
    var played: @MainActor (PlayEvent) throws -> Void

    package init(
      happened: @escaping @MainActor (String) throws -> Void,
      wrong: @escaping @MainActor (WrongLine) -> Void = { _ in },
      played: @escaping @MainActor (PlayEvent) throws -> Void = { _ in }
    ) {
      self.happened = happened
      self.wrong = wrong
      self.played = played
    }
  }

  /// How a script came out.
  package enum Verdict: Equatable, Sendable {
    /// It was played to its end.
    case played
    /// It has lines, and all of them were wrong.
    case nothing
    /// A wrong line ended it.
    case stopped
    /// The tree and what is shown came apart.
    case different(String)
  }

  private let session: PlaySession
  private let options: ScriptOptions
  private let output: Output
  private var events = 0
  private var wrongLines = 0

  package init(_ session: PlaySession, _ options: ScriptOptions, _ output: Output) {
    self.session = session
    self.options = options
    self.output = output
  }

  /// Plays the lines to the end, or to the first wrong one if the options say so.
  ///
  /// - Throws: what reading or writing throws.
  package mutating func play(_ lines: ScriptLines) async throws -> Verdict {
    var lines = lines
    try tell("0  the app opens")
    while let line = try lines.next() {
      do {
        let event = try line.text.flatMap { text in
          Result { () throws(LineFault) in try PlayEvent(line: text) }
        }.get()
        try await session.apply(event)
        events += 1
        try tell("\(line.number)  \(event.words)")
        try output.played(event)
      } catch let fault as LineFault {
        report(WrongLine(number: line.number, what: fault.what, remedy: fault.remedy))
      } catch let refusal as PlayRefusal {
        report(WrongLine(number: line.number, what: refusal.what, remedy: refusal.remedy))
      }
      if let fault = session.fault {
        try output.happened("At line \(line.number) \(fault)")
        return .different(fault)
      }
      if options.isStrict, wrongLines > 0 { return .stopped }
    }
    try output.happened(ending)
    return events == 0 && wrongLines > 0 ? .nothing : .played
  }

  private mutating func report(_ line: WrongLine) {
    wrongLines += 1
    output.wrong(line)
  }

  private func tell(_ title: String) throws {
    let news = session.log.take()
    guard !options.isQuiet else { return }
    let lines = [title] + news.map { "     " + $0 } + ["   = " + session.place]
    try output.happened(lines.map(\.drawn).joined(separator: "\n"))
  }

  /// What is there at the end: windows, tree, and what was refused on the way.
  private var ending: String {
    var lines = ["", "\(events) events were played, \(wrongLines) lines were wrong.", ""]
    for window in session.windows {
      lines.append("window \(window.number)\(window === session.front ? ", in front" : "")")
      lines += "\(window.window.navigation)".split(separator: "\n").map { "  " + $0 }
    }
    lines += [""] + session.runtime.tree.split(separator: "\n").map(String.init) + [""]
    let counts = session.runtime.counts
    lines.append("\(counts.flows) flows and \(counts.operations) tasks are alive.")
    for (kind, count) in session.runtime.refusals.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    {
      lines.append("refused \(count) times, \(kind): what \(kind.reason)")
    }
    return lines.map(\.drawn).joined(separator: "\n")
  }
}

extension PlayEvent {
  /// The event in words.
  var words: String {
    switch self {
    case .choose(let item): "choose \"\(item)\""
    case .type(let text, let field): "type \"\(text)\" into \"\(field)\""
    case .select(let tab): "select \"\(tab)\""
    case .back(let id?), .swipe(let id?), .begin(let id?): "\(word.rawValue) \(id)"
    case .openLink(let link): "open link \"\(link)\""
    case .useWindow(let number): "use window \(number)"
    case .wait(let time?): "wait \(time) ms"
    default: word.rawValue
    }
  }
}

extension PlaySession {
  /// Where the user is, on one line: the titles of the screens in front, the lowest first.
  var place: String {
    let titles = front.host.screens.visiblePath.map(front.title(of:))
    let window = windows.count > 1 ? "window \(front.number): " : ""
    return window + (titles.isEmpty ? "nothing" : titles.joined(separator: " › "))
  }
}

extension Navigation {
  /// The screens in front: of each layer the stack, in it the selected tab.
  var visiblePath: [FlowID] {
    var path: [FlowID] = []
    for layer in layers {
      var stack: Stack? = layer.stack
      while let current = stack {
        path += current.screens.map(\.id)
        stack = current.screens.last?.selectedStack
      }
    }
    return path
  }
}
