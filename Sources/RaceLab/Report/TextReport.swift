// The report of an exploration for a terminal: what went wrong, a table with a column for each
// task and a row for each step, and how to repeat it.

struct TextReport {
  private let exploration: Exploration

  init(_ exploration: Exploration) { self.exploration = exploration }

  var text: String {
    guard let finding = exploration.finding else { return exploration.summary }
    let shrunk = finding.deviations
    let waiting = finding.waiting.map { $0 + "\n" }.joined()
    return """
      \(finding.failure)
      Found by schedule \(finding.schedule); shrunk from \(shrunk.found) to \(shrunk.shrunk) \
      deviations from the plain order.

      \(finding.table)\(waiting.isEmpty ? "" : "\n\(waiting)")
      \(exploration.summary)
      Repeat: explore(replaying: "\(finding.token)")
      """
  }
}

/// Draws a run.
struct RunTable {
  let trace: Trace
  private let places: PlaceNames

  init(_ trace: Trace, _ places: PlaceNames) {
    self.trace = trace
    self.places = places
  }

  /// One row for each step: its number, virtual time where it moves, and in the column of its
  /// task where it ran. A star marks a step that was preferred to an earlier one; `<-n` names the
  /// step that made it ready, if that was not the one right before; an `|` at the left marks the
  /// causal slice: steps that led to the last one. At the right stands where in the code the step
  /// began or went on, where that is known.
  var text: String {
    let columns = columns
    let slice = causalSlice
    let widths = columns.map { column in
      max(trace.title(column).count, 8)
    }
    var lines: [String] = []
    let heading = zip(columns, widths).map { pad(trace.title($0.0), $0.1) }.joined(separator: "  ")
    lines.append("     step  " + heading)
    var time = VirtualTime()
    for (index, step) in trace.steps.enumerated() {
      if step.time != time {
        time = step.time
        lines.append("           -- \(time.elapsed) --")
      }
      let cells = zip(columns, widths).map { column, width in
        pad(column == step.task ? cell(step, index) : "", width)
      }
      let mark = slice.contains(index) ? "|" : " "
      let number = String(repeating: " ", count: max(0, 6 - "\(index + 1)".count)) + "\(index + 1)"
      var line = "  \(mark)\(number)  " + cells.joined(separator: "  ")
      if let place = place(index) { line += "  \(place)" }
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    lines.append("")
    lines.append("  * taken before an earlier job   x cancelled before   | led to the last step")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Where in the code the step went on.
  func place(_ index: Int) -> String? {
    trace.places.indices.contains(index) ? places.text(trace.places[index]) : nil
  }

  /// Tasks in order of their first step.
  var columns: [Int] {
    var seen: [Int] = []
    for step in trace.steps where !seen.contains(step.task) { seen.append(step.task) }
    return seen
  }

  private func cell(_ step: Step, _ index: Int) -> String {
    var text = step.place.name
    if step.pick >= 0, trace.picks[step.pick].value > 0 { text += "*" }
    if step.cancelled { text += " x" }
    if step.cause > 0, step.cause != index { text += " <-\(step.cause)" }
    return text
  }

  /// Indices of the steps that led to the last one: what made it ready, and what ran before it in
  /// the same place, and so on from each of those that deviated.
  var causalSlice: Set<Int> {
    var slice: Set<Int> = []
    var open = [trace.steps.count - 1]
    while let index = open.popLast(), index >= 0 {
      guard slice.insert(index).inserted else { continue }
      open.append(trace.steps[index].cause - 1)
    }
    return slice
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
