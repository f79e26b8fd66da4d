// What the runtime tells that a model cannot know, kept until it is read.

import Millrace

/// What the runtime tells, until it is read.
@MainActor
final class NavigationFacts: TraceSink {
  private var events: [TraceEvent] = []

  /// Hears all of it at once, in words.
  var tell: (@MainActor (String) -> Void)?

  func record(_ event: TraceEvent) {
    tell?("  \(event)")
    switch event {
    case .command, .hostTimeout, .gestureTimeout, .navigated: events.append(event)
    default: break
    }
  }

  func take() -> [TraceEvent] {
    defer { events = [] }
    return events
  }
}
