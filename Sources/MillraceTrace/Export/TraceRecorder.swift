// A trace with times: what the exports are made of.

import Millrace

/// One event and when it happened.
public struct TimedEvent: Sendable, Equatable {
  /// Since the runtime was made.
  public let time: Duration
  /// What happened.
  public let event: TraceEvent

  /// Makes one, for a recording that was kept elsewhere.
  public init(time: Duration, event: TraceEvent) {
    self.time = time
    self.event = event
  }
}

/// A recording of a runtime's events, and the formats it can be written in.
public struct TraceRecording: Sendable, Equatable {
  /// The events, oldest first.
  public let events: [TimedEvent]
  /// How many older events were dropped.
  public let dropped: Int

  /// Makes a recording of events in the order in which they happened.
  public init(events: [TimedEvent], dropped: Int = 0) {
    self.events = events
    self.dropped = dropped
  }

  /// The time of the last event.
  public var end: Duration { events.last?.time ?? .zero }
}

/// A sink that keeps the newest events with their times.
@MainActor
public final class TraceRecorder: TraceSink {
  private let clock: RuntimeClock
  private let limit: Int
  private var events: [TimedEvent] = []
  private var dropped = 0

  /// Makes a recorder.
  ///
  /// - Parameters:
  ///   - clock: the clock of the runtime that it is added to.
  ///   - limit: how many events are kept, the newest; at least one.
  public init(clock: RuntimeClock, limit: Int = 100_000) {
    self.clock = clock
    self.limit = max(1, limit)
  }

  /// Keeps the event; beyond twice the limit the oldest half goes.
  public func record(_ event: TraceEvent) {
    events.append(TimedEvent(time: clock.now, event: event))
    guard events.count >= 2 * limit else { return }
    dropped += events.count - limit
    events.removeFirst(events.count - limit)
  }

  /// What has been recorded until now.
  public var recording: TraceRecording {
    let surplus = max(0, events.count - limit)
    return TraceRecording(events: Array(events.dropFirst(surplus)), dropped: dropped + surplus)
  }
}
