// The report for people and for tools.

import Millrace

extension CancellationReport {
  /// A page of text: who is deaf, then the ends that took longest, then all names.
  public var text: String {
    var lines = ["cancellation profile at \(time.short): \(counted(endCount, "end"))"]
    if deaf.isEmpty {
      lines.append("nothing stayed longer than \(deafAfter.short) after it was told to stop")
    } else {
      lines.append("deaf, that is longer than \(deafAfter.short) after it was told to stop:")
      for name in deaf {
        let still = name.running > 0 ? ", \(name.running) running on" : ""
        lines.append(
          "  \(name.name): \(name.longest.short), deaf; "
            + "\(name.deaf + name.runningDeaf) of \(name.stopped + name.running)\(still)")
      }
    }
    let slowest = ends.filter { $0.operations > 0 }
      .sorted { ($0.timeToQuiet ?? .seconds(1 << 40)) > ($1.timeToQuiet ?? .seconds(1 << 40)) }
    if !slowest.isEmpty { lines.append("slowest ends:") }
    for end in slowest.prefix(10) {
      lines.append("  " + end.line)
      for stay in end.stays.prefix(5) {
        let state = stay.isOver ? "" : ", still running"
        let ear = stay.stayed > deafAfter ? ", deaf" : ""
        lines.append("    \(stay.name) \(stay.id): stayed \(stay.stayed.short)\(state)\(ear)")
      }
    }
    if !names.isEmpty { lines.append("by name: stopped, median, longest, running on") }
    for name in names.prefix(40) {
      lines.append(
        "  \(name.name): \(name.stopped), \(name.median.short), \(name.longest.short), "
          + "\(name.running)")
    }
    if unfollowed > 0 {
      lines.append("\(unfollowed) operations were not followed: too many pending")
    }
    return lines.joined(separator: "\n")
  }

  /// The same as JSON. Durations are in seconds.
  public var json: String {
    JSON.object([
      ("format", .whole(1)), ("time", .number(time.seconds)),
      ("deafAfter", .number(deafAfter.seconds)), ("endCount", .whole(endCount)),
      ("unfollowed", .whole(unfollowed)),
      ("ends", .list(ends.map { $0.json(deafAfter) })),
      (
        "names",
        .list(
          names.map { name in
            .object([
              ("name", .text(name.name)), ("stopped", .whole(name.stopped)),
              ("deaf", .whole(name.deaf)), ("running", .whole(name.running)),
              ("runningDeaf", .whole(name.runningDeaf)),
              ("median", .number(name.median.seconds)),
              ("longest", .number(name.longest.seconds)),
            ])
          })
      ),
    ]).line
  }
}

extension CancellationReport.End {
  /// Which end: the name, the flow's id and how it ended.
  var title: String { "\(name)\(flow.map { " \($0)" } ?? "") \(kind.rawValue)" }

  fileprivate var line: String {
    let quiet = timeToQuiet.map { "quiet after \($0.short)" } ?? "\(left) still running"
    return "\(title) at \(began.short): \(counted(flows, "flow")), "
      + "\(counted(operations, "operation")), cancelled after "
      + "\(timeToCancelled.short), \(quiet)"
  }

  fileprivate func json(_ deafAfter: Duration) -> JSON {
    .object([
      ("flow", flow.map { .whole(Int(clamping: $0.rawValue)) } ?? .null), ("name", .text(name)),
      ("kind", .text(kind.rawValue)), ("began", .number(began.seconds)), ("flows", .whole(flows)),
      ("operations", .whole(operations)), ("left", .whole(left)),
      ("timeToCancelled", .number(timeToCancelled.seconds)),
      ("timeToQuiet", timeToQuiet.map { .number($0.seconds) } ?? .null),
      (
        "stays",
        .list(
          stays.map { stay in
            .object([
              ("operation", .whole(Int(clamping: stay.id.rawValue))), ("name", .text(stay.name)),
              ("stayed", .number(stay.stayed.seconds)), ("isOver", .flag(stay.isOver)),
              ("isDeaf", .flag(stay.stayed > deafAfter)),
            ])
          })
      ),
    ])
  }
}

private func counted(_ number: Int, _ word: String) -> String {
  "\(number) \(word)\(number == 1 ? "" : "s")"
}
