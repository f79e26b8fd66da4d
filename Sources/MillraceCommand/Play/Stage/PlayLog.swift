// What happened, in words: a script prints it, the side pane shows the newest of it.

import Millrace
import MillraceTrace

/// Keeps what the runtime tells.
@MainActor
final class PlayLog: TraceSink {
  /// What happened since the last time it was taken.
  private var news: [String] = []
  /// The newest refusals, oldest first.
  private(set) var refusals: [String] = []

  /// The newest thing that is told to the user.
  private var newestNote: String?

  /// How many refusals are kept.
  private static let kept = 100
  /// How many lines wait to be taken: where nobody takes them, the oldest go.
  private static let waiting = 10_000

  func record(_ event: TraceEvent) {
    switch event {
    // What an end is made of: that flows have ended is told one by one.
    case .endBegan, .endApplied, .flowTold, .operationQuiet: return
    case .refused(let kind, let name, let flow, let operation):
      let number = operation.map { " \($0)" } ?? flow.map { " \($0)" } ?? ""
      refusals.append("\(name)\(number) \(kind.reason)")
      if refusals.count > Self.kept { refusals.removeFirst() }
    default: break
    }
    add(event.line)
  }

  /// Tells the user something that the runtime does not know of.
  func note(_ text: String) {
    newestNote = text
    add(text)
  }

  private func add(_ line: String) {
    news.append(line)
    if news.count >= 2 * Self.waiting { news.removeFirst(Self.waiting) }
  }

  /// What the user was told last, since the last time.
  func takeNote() -> String? {
    defer { newestNote = nil }
    return newestNote
  }

  /// What happened since the last time.
  func take() -> [String] {
    defer { news = [] }
    return news
  }
}
