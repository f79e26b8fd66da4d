// How far a search has come, on one line of a terminal that is written over.

import Foundation
import RaceLab

/// The numbers of a search that goes on.
struct ProgressLine: Codable, Sendable {
  var schedules: Int
  var distinct: Int
  var seconds: Int

  init(_ exploration: Exploration) {
    schedules = exploration.schedules
    distinct = exploration.distinct
    seconds = Int(exploration.duration.components.seconds)
  }

  func text(_ scenario: String) -> String {
    "\(scenario): \(schedules) schedules, \(distinct) different, \(seconds) s"
  }

  /// Whether somebody looks at it: a file or a pipe would fill with lines nobody reads.
  static var isWanted: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

  /// Writes over the line; nothing leaves it empty.
  static func show(_ text: String = "") {
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }

  /// Where a child keeps it for its parent.
  static func file(in folder: String) -> URL {
    URL(fileURLWithPath: folder).appending(path: "progress.json")
  }

  static func read(in folder: String) -> ProgressLine? {
    guard let data = try? Data(contentsOf: file(in: folder)) else { return nil }
    return try? JSONDecoder().decode(ProgressLine.self, from: data)
  }
}

/// Lets something happen about twice a second, however often it is asked.
final class Pace: Sendable {
  private let next = Guarded(ContinuousClock.now)

  func isDue() -> Bool {
    let now = ContinuousClock.now
    return next.withLock { next in
      guard now >= next else { return false }
      next = now + .milliseconds(500)
      return true
    }
  }
}
