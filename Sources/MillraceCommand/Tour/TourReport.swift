// What a tour has shown and found, as a value: the story and the JSON document are two ways to
// write it down.

/// A whole tour.
struct TourReport: Codable {
  var millrace = Main.version
  var seed: UInt64
  var catalogue: String
  var books: Int
  var steps: [Step] = []
  var totals: Totals?
  var verdict = Verdict.unfinished

  enum Verdict: String, Codable {
    case asExpected = "as expected"
    case different
    case unfinished
  }

  /// One step of the day.
  struct Step: Codable {
    let title: String
    var entries: [Entry] = []

    var checks: [Check] { entries.flatMap(\.checks) }
  }

  /// One line, or a few, of a step. Exactly one of the fields is set.
  struct Entry: Codable {
    var said: String?
    var tree: [String]?
    var refused: Refused?
    var check: Check?
    /// The counts at the end of a step.
    var atRest: [Check]?

    var checks: [Check] { (check.map { [$0] } ?? []) + (atRest ?? []) }
  }

  /// A call that was refused.
  struct Refused: Codable {
    let kind: String
    let who: String
    let why: String
  }

  /// A number or text that was expected, and what was found.
  struct Check: Codable {
    let what: String
    let expected: String
    let found: String
    let isMet: Bool
  }

  /// Counts over the whole day.
  struct Totals: Codable {
    var flowsStarted = 0
    var flowsAlive = 0
    var tasksStarted = 0
    var tasksAlive = 0
    var valuesSent = 0
    var valuesLost = 0
    var flowsLeaked = 0
    var refusals: [String: Int] = [:]
  }

  var checks: [Check] { steps.flatMap(\.checks) }
  var failures: Int { checks.count { !$0.isMet } }
}
