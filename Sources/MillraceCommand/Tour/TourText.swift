// A tour as text for a person, in 80 columns.

/// Writes a report down.
struct TourText {
  /// Whether the text goes to a terminal that shows colours.
  var hasColour = false

  func story(_ report: TourReport) -> String {
    var lines = [
      bold("A day at the library"),
      dim("\(report.books) books (\(report.catalogue)), seed \(report.seed)"),
    ]
    for (number, step) in report.steps.enumerated() {
      lines.append("")
      lines.append(bold(rule("\(number + 1)  \(step.title)")))
      for entry in step.entries { lines += text(of: entry) }
    }
    lines += ["", bold(rule("The day in numbers"))]
    if let totals = report.totals { lines += text(of: totals) }
    lines += ["", verdict(report)]
    return lines.joined(separator: "\n")
  }

  func verdict(_ report: TourReport) -> String {
    let (checks, failures) = (report.checks.count, report.failures)
    guard report.verdict != .asExpected else {
      return good("As expected: \(checks) checks in \(report.steps.count) steps.")
    }
    let differences = report.steps.flatMap { step in
      step.checks.filter { !$0.isMet }.flatMap {
        wrapped("\(step.title): \(difference($0))", indent: "  ", hanging: 4)
      }
    }
    let sum = "Different: \(failures) of \(checks) checks failed."
    return ([bad(sum)] + differences).joined(separator: "\n")
  }

  private func text(of entry: TourReport.Entry) -> [String] {
    if let said = entry.said { return wrapped(said, indent: "   ") }
    if let tree = entry.tree { return [""] + tree.map { "     " + dim(cut($0, to: 74)) } + [""] }
    if let refused = entry.refused {
      return wrapped("\(refused.who) \(refused.why)", indent: "   -- ", hanging: 6).map(dim)
    }
    if let checks = entry.atRest, checks.allSatisfy(\.isMet) {
      let counts = checks.filter { !$0.what.contains(",") }.map { "\($0.what) \($0.found)" }
      return ["   " + good("ok") + " " + counts.joined(separator: ", ")]
    }
    return entry.checks.flatMap(text(of:))
  }

  private func text(of check: TourReport.Check) -> [String] {
    guard check.isMet else {
      return wrapped("!! " + difference(check), indent: "   ", hanging: 6).map(bad)
    }
    let lines = wrapped("   ok " + row(check.what, check.found), indent: "", hanging: 40)
    return lines.map { $0.hasPrefix("   ok ") ? "   " + good("ok") + $0.dropFirst(5) : $0 }
  }

  private func difference(_ check: TourReport.Check) -> String {
    "\(check.what): expected \(check.expected), found \(check.found)"
  }

  private func text(of totals: TourReport.Totals) -> [String] {
    var lines = [
      row("flows alive", "\(totals.flowsAlive) of \(totals.flowsStarted) started"),
      row("tasks alive", "\(totals.tasksAlive) of \(totals.tasksStarted) started"),
      row("values lost", "\(totals.valuesLost) of \(totals.valuesSent) sent"),
      row("flows still in memory", "\(totals.flowsLeaked)"),
    ]
    for (kind, count) in totals.refusals.sorted(by: { $0.key < $1.key }) {
      lines.append(row("refused, \(kind)", "\(count)"))
    }
    return lines.map { "   " + $0 }
  }

  private func row(_ what: String, _ value: String) -> String {
    padded(what + " ", to: 33, with: ".") + " " + value
  }

  private func rule(_ title: String) -> String {
    let line = cut(title, to: 74) + " "
    return line + String(repeating: "─", count: max(0, 79 - line.count))
  }

  private func cut(_ text: String, to width: Int) -> String {
    text.count > width ? text.prefix(width - 1) + "…" : text
  }

  private func wrapped(_ text: String, indent: String, hanging: Int? = nil) -> [String] {
    let width = 79
    var lines: [String] = []
    var line = indent
    var isEmpty = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = hanging.map { String(repeating: " ", count: $0) } ?? indent
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }

  private func bold(_ text: String) -> String { styled(text, 1) }
  private func dim(_ text: String) -> String { styled(text, 2) }
  private func good(_ text: String) -> String { styled(text, 32) }
  private func bad(_ text: String) -> String { styled(text, 31) }

  private func styled(_ text: String, _ code: Int) -> String {
    hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
