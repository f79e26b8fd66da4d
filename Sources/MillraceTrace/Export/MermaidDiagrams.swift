// A recording as Mermaid diagrams: who talked to whom, and who belongs to whom. Each has an
// accessible title and description, which Mermaid puts into the picture.

import Millrace

extension TraceRecording {
  /// A sequence diagram: starts, outputs and ends between flows, operations as notes.
  ///
  /// - Parameters:
  ///   - title: what the picture is called, also for those who hear it read.
  ///   - limit: how many lines at most; what is left out is said in a note.
  public func mermaidSequence(title: String = "What the flows told each other", limit: Int = 200)
    -> String
  {
    MermaidSequence(self).text(title: title, limit: limit)
  }

  /// A diagram of the tree as it was at the end of the recording: live flows with their operations.
  public func mermaidTree(title: String = "The tree of live flows") -> String {
    let tracks = TraceTracks(self)
    let flows = tracks.flows.filter { $0.ended == nil }
    let live = Set(flows.map(\.id))
    let operations = tracks.operations.filter { $0.quiet == nil }
    var lines = [
      "flowchart TD", "  accTitle: \(safe(title))",
      "  accDescr: \(flows.count) live flows and \(operations.count) operations at \(end.short)",
      "  runtime([runtime])",
    ]
    for flow in flows {
      let shown = flow.presentation.map { $0 == .inline ? "" : ", \($0.rawValue)" } ?? ""
      lines.append("  f\(flow.id.rawValue)[\"\(safe("\(flow.name) \(flow.id)"))\(shown)\"]")
      let owner = flow.owner.flatMap { live.contains($0) ? "f\($0.rawValue)" : nil } ?? "runtime"
      lines.append("  \(owner) --> f\(flow.id.rawValue)")
    }
    for operation in operations {
      let owner =
        operation.owner.flatMap { live.contains($0) ? "f\($0.rawValue)" : nil } ?? "runtime"
      let state = operation.ended == nil ? "" : ", told to stop"
      lines.append(
        "  o\(operation.id.rawValue)(\"\(safe("\(operation.name) \(operation.id)"))\(state)\")")
      lines.append("  \(owner) -.-> o\(operation.id.rawValue)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

private struct MermaidSequence {
  private let recording: TraceRecording
  private let tracks: TraceTracks

  init(_ recording: TraceRecording) {
    self.recording = recording
    tracks = TraceTracks(recording)
  }

  func text(title: String, limit: Int) -> String {
    let all = recording.events.compactMap { line($0.event) }
    let shown = all.prefix(max(1, limit))
    var named: Set<FlowID> = []
    var participants = ["  participant runtime"]
    for id in shown.flatMap(\.flows) where named.insert(id).inserted {
      let label = tracks.flow(id).map { "\($0.name) \($0.id)" } ?? "\(id)"
      participants.append("  participant f\(id.rawValue) as \(safe(label))")
    }
    var lines = [
      "sequenceDiagram", "  accTitle: \(safe(title))",
      "  accDescr: \(shown.count) of \(all.count) messages between \(named.count) flows",
    ]
    lines += participants + shown.map { "  " + $0.text }
    if shown.count < all.count {
      lines.append("  Note over runtime: \(all.count - shown.count) more are not shown")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ event: TraceEvent) -> (text: String, flows: [FlowID])? {
    switch event {
    case .flowStarted(let id, let name, let owner, let presentation):
      let from = place(owner)
      let to = "f\(id.rawValue)"
      let how = presentation == .inline ? "" : " as \(presentation.rawValue)"
      return ("\(from)->>\(to): start \(safe(name))\(how)", [owner, id].compactMap { $0 })
    case .output(let id, _):
      let from = "f\(id.rawValue)"
      let owner = tracks.flow(id)?.owner
      return ("\(from)-->>\(place(owner)): output", [id, owner].compactMap { $0 })
    case .flowEnded(let id, _, let kind):
      let from = "f\(id.rawValue)"
      let owner = tracks.flow(id)?.owner
      return ("\(from)-x\(place(owner)): \(kind.rawValue)", [id, owner].compactMap { $0 })
    case .operationStarted(_, let name, let owner):
      return ("Note over \(place(owner)): \(safe(name)) begins", owner.map { [$0] } ?? [])
    case .operationEnded(let id, let name, let outcome):
      let owner = tracks.operation(id)?.owner
      let how =
        switch outcome {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled(let cause): "cancelled, \(cause.rawValue)"
        }
      return ("Note over \(place(owner)): \(safe(name)) \(how)", owner.map { [$0] } ?? [])
    case .refused(let kind, let name, let flow, _):
      return (
        "Note over \(place(flow)): \(safe(name)) refused, \(kind)", flow.map { [$0] } ?? []
      )
    default: return nil
    }
  }

  private func place(_ flow: FlowID?) -> String { flow.map { "f\($0.rawValue)" } ?? "runtime" }
}

/// Text without what Mermaid takes for syntax.
private func safe(_ text: String) -> String {
  var out = ""
  for character in text {
    switch character {
    case "#": out += "#35;"
    case ";": out += "#59;"
    case "\"": out += "#quot;"
    case "<": out += "#lt;"
    case ">": out += "#gt;"
    case "\n", "\r": out += " "
    default: out.append(character)
    }
  }
  return out
}
