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
    switch report.verdict {
    case .asExpected: good("As expected: \(report.checks) checks in \(report.steps.count) steps.")
    case .different, .unfinished:
      bad("Different: \(report.failures) of \(report.checks) checks failed.")
        + report.steps.flatMap { step in
          step.entries.compactMap { entry in
            entry.check.flatMap { $0.isMet ? nil : "\n  \(step.title): \(difference($0))" }
          }
        }.joined()
    }
  }

  private func text(of entry: TourReport.Entry) -> [String] {
    if let said = entry.said { return wrapped(said, indent: "   ") }
    if let tree = entry.tree { return [""] + tree.map { "     " + dim(cut($0, to: 74)) } + [""] }
    if let refused = entry.refused {
      return ["   refused  " + padded(refused.who, to: 26) + " " + refused.why]
        .flatMap { wrapped(String($0.dropFirst(3)), indent: "   ", hanging: 36) }
    }
    guard let check = entry.check else { return [] }
    guard check.isMet else { return wrapped("!! " + difference(check), indent: "   ").map(bad) }
    return ["   " + good("ok") + " " + row(check.what, check.found)]
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
      lines.append(row("refused: \(kind)", "\(count)"))
    }
    return lines.map { "   " + $0 }
  }

  private func row(_ what: String, _ value: String) -> String {
    cut(padded(what + " ", to: 34, with: ".") + " " + value, to: 74)
  }

  private func rule(_ title: String) -> String {
    let line = cut(title, to: 74) + " "
    return line + String(repeating: "─", count: max(0, 79 - line.count))
  }

  private func cut(_ text: String, to width: Int) -> String {
    text.count > width ? text.prefix(width - 1) + "…" : text
  }

  private func padded(_ text: String, to width: Int, with filler: Character = " ") -> String {
    text + String(repeating: filler, count: max(0, width - text.count))
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
