// A failing run as a sequence diagram in Mermaid's language, for pull requests and wikis.

extension SearchReport.Finding {
  /// A Mermaid sequence diagram: a participant for each task, a note for each step, an arrow where
  /// a step of one task made a step of another ready.
  public var mermaid: String {
    var tasks: [String] = []
    for step in steps where !tasks.contains(step.task) { tasks.append(step.task) }
    func id(_ task: String) -> String { "t\(tasks.firstIndex(of: task) ?? 0)" }
    var lines = ["sequenceDiagram"]
    for task in tasks { lines.append("  participant \(id(task)) as \(Self.plain(task))") }
    for (index, step) in steps.enumerated() {
      if step.cause > 0, steps[step.cause - 1].task != step.task {
        lines.append(
          "  \(id(steps[step.cause - 1].task))->>\(id(step.task)): step \(step.cause)")
      }
      let marks = (step.deviates ? " *" : "") + (step.cancelled ? " cancelled" : "")
      lines.append("  Note over \(id(step.task)): \(index + 1) \(step.place)\(marks)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func plain(_ text: String) -> String {
    String(text.map { ";:#\n".contains($0) ? " " : $0 })
  }
}
