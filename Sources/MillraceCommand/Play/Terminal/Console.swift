// The app in a terminal: keys become events, and after each of them the picture is drawn. Time
// passes in the app while somebody in it waits for time, and is an event like any other.

import Foundation
import Millrace
import RaceLabCommand

/// Plays a session in a terminal.
@MainActor
struct Console {
  private let session: PlaySession
  private let terminal: Terminal
  private let played: @MainActor (PlayEvent) throws -> Void
  private var desk = Desk()
  private var message = Console.greeting
  /// When time last passed, in milliseconds of the wall clock.
  private var passedAt: Int64

  private static let greeting = "F1 keys   ^g gesture   esc back   ^t tree   ^q leave"

  /// - Parameter played: takes each event that was played, for a recording.
  init(
    _ session: PlaySession, _ terminal: Terminal,
    played: @escaping @MainActor (PlayEvent) throws -> Void
  ) {
    self.session = session
    self.terminal = terminal
    self.played = played
    passedAt = WallClock.milliseconds
  }

  /// How it ended.
  enum Ending: Equatable {
    case left
    /// By a signal, see `EndSignal`.
    case signal
    /// The tree and what is shown came apart.
    case different(String)
  }

  /// Plays until the user leaves.
  ///
  /// - Throws: what the terminal or the recording throws.
  mutating func play() async throws -> Ending {
    tell()
    while true {
      try draw()
      let input = terminal.wait(limit: untilDeadline)
      if input.hasEnded { return EndSignal.caught == nil ? .left : .signal }
      if input.isResized { terminal.forget() }
      try await passTime()
      for key in input.keys {
        switch desk.press(key, sight) {
        case .draw: message = Self.greeting
        case .event(let event): try await apply(event)
        case .suspend: try terminal.suspend()
        case .quit: return .left
        }
      }
      if let fault = session.fault { return .different(fault) }
    }
  }

  private mutating func apply(_ event: PlayEvent) async throws {
    do {
      try await session.apply(event)
      try played(event)
      if event.word != .wait { message = Self.greeting }
    } catch let refusal as PlayRefusal {
      message =
        refusal.what.prefix(1).uppercased() + refusal.what.dropFirst()
        + ". " + refusal.remedy
    }
    tell()
    _ = session.log.take()
    desk.keep(Set(session.windows.flatMap { $0.host.screens.flows }))
  }

  private mutating func tell() {
    if let note = session.log.takeNote() {
      message = note.prefix(1).uppercased() + note.dropFirst()
    }
  }

  // MARK: - Time

  /// How long the user may be waited for, in milliseconds; nil as long as it takes.
  private var untilDeadline: Int? {
    guard let due = session.nextDeadline else { return nil }
    let left = due.milliseconds - (WallClock.milliseconds - passedAt)
    return Int(clamping: max(0, left))
  }

  /// Lets the time pass that has passed since, if anybody in the app waits for time.
  private mutating func passTime() async throws {
    let now = WallClock.milliseconds
    let passed = min(max(0, now - passedAt), Int64(PlayEvent.longestWait))
    let waits = session.nextDeadline != nil
    passedAt = now
    if waits, passed > 0 { try await apply(.wait(Int(passed))) }
  }

  // MARK: - Drawing

  private var sight: Desk.Sight {
    let layer = session.picture().layers.last
    return Desk.Sight(
      screen: session.front.top, items: session.items,
      isGesturing: session.front.host.gesture != nil, tabs: layer?.tabs ?? [],
      selectedTab: layer?.selectedTab, windows: session.windows.map(\.number),
      front: session.front.number)
  }

  private func draw() throws {
    var picture = session.picture(cursor: desk.cursor(sight), pane: desk.pane)
    picture.message =
      session.front.host.gesture == nil
      ? message : "A gesture: enter goes through with it, esc lets go."
    if desk.showsHelp { picture.help = Desk.help }
    let size = terminal.size
    try terminal.show(picture.drawn(width: size.columns, height: size.rows))
  }
}

/// The clock on the wall: in the lab all others show the lab's time.
private enum WallClock {
  static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

extension Duration {
  /// Whole milliseconds, rounded up.
  fileprivate var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds.multipliedReportingOverflow(by: 1_000).partialValue
      &+ (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
