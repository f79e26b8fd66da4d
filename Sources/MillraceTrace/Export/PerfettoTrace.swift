// A recording as a Chrome trace, which Perfetto (ui.perfetto.dev) and chrome://tracing load.
//
// Each flow is a track with its life as a slice; its operations are slices on tracks below it, as
// many as run at once. After its outcome an operation that runs on is a second slice. An arrow leads
// from an end to each operation that it cancelled. What is open when the recording stops ends there.
//
// Format: "Trace Event Format", Google, 2016. Times are microseconds.

import Millrace

extension TraceRecording {
  /// The trace as JSON.
  public var perfettoJSON: String { PerfettoTrace(self).json }
}

private struct PerfettoTrace {
  private let recording: TraceRecording
  private let tracks: TraceTracks
  private var events: [JSON] = []
  /// Key: the track of a flow, 0 for the runtime. Value: its lanes, each free from a time on.
  private var lanes: [Int: [(track: Int, free: Duration)]] = [:]
  private var lastTrack: Int
  private static let runtime = 0

  init(_ recording: TraceRecording) {
    self.recording = recording
    tracks = TraceTracks(recording)
    // Tracks are numbered like flows; the lanes of operations come behind them.
    lastTrack = tracks.flows.map { Int(clamping: $0.id.rawValue) }.max() ?? 0
    name(Self.runtime, "runtime")
    for flow in tracks.flows { add(flow) }
    for end in tracks.ends { add(end) }
    for operation in tracks.operations.sorted(by: { $0.began < $1.began }) { add(operation) }
    for timed in recording.events { addInstant(timed) }
  }

  var json: String {
    JSON.object([
      ("displayTimeUnit", .text("ms")),
      ("otherData", .object([("dropped", .whole(recording.dropped))])),
      ("traceEvents", .list(events)),
    ]).line
  }

  private mutating func add(_ flow: TraceTracks.Flow) {
    let track = Int(clamping: flow.id.rawValue)
    name(track, "\(flow.name) \(flow.id)")
    slice(
      track, flow.name, "flow", flow.began, flow.ended,
      [
        ("flow", .text("\(flow.id)")), ("owner", flow.owner.map { .text("\($0)") } ?? .null),
        ("presentation", flow.presentation.map { .text($0.rawValue) } ?? .null),
        ("ending", flow.kind.map { .text($0.rawValue) } ?? .null),
      ])
  }

  private mutating func add(_ end: TraceTracks.End) {
    slice(
      track(of: end.flow), "end: \(end.kind.rawValue)", "end", end.began, end.applied,
      [("flows", .whole(end.flows))])
  }

  private mutating func add(_ operation: TraceTracks.Operation) {
    let last = operation.quiet ?? recording.end
    let track = lane(of: track(of: operation.owner), from: operation.began, to: last)
    let outcome: String
    switch operation.outcome {
    case .succeeded: outcome = "succeeded"
    case .failed: outcome = "failed"
    case .cancelled(let cause): outcome = "cancelled: \(cause.rawValue)"
    case nil: outcome = "none yet"
    }
    slice(
      track, operation.name, "operation", operation.began, operation.ended,
      [("operation", .text("\(operation.id)")), ("outcome", .text(outcome))])
    guard let ended = operation.ended else { return }
    if operation.quiet != ended {
      slice(
        track, "\(operation.name), told to stop", "stay", ended, operation.quiet,
        [("operation", .text("\(operation.id)"))])
    }
    guard let end = operation.end.map({ tracks.ends[$0] }) else { return }
    arrow(operation.id, from: self.track(of: end.flow), at: end.began, to: track, at: ended)
  }

  private mutating func addInstant(_ timed: TimedEvent) {
    switch timed.event {
    case .output(let id, _): instant(track(of: id), "output", timed.time)
    case .overflow(let id, _, _): instant(track(of: id), "overflow", timed.time)
    case .outputsDropped(let id, _, let count):
      instant(track(of: id), "\(count) outputs dropped", timed.time)
    case .refused(let kind, _, let flow, _):
      instant(track(of: flow), "refused: \(kind)", timed.time)
    case .session(let state):
      instant(Self.runtime, "session: \(state.session?.account.id ?? "none")", timed.time)
    case .problem(let text): instant(Self.runtime, text, timed.time)
    default: break
    }
  }

  private func track(of flow: FlowID?) -> Int {
    guard let flow, tracks.flow(flow) != nil else { return Self.runtime }
    return Int(clamping: flow.rawValue)
  }

  /// The first track below a flow's that is free; operations of one flow may run at once.
  private mutating func lane(of track: Int, from began: Duration, to end: Duration) -> Int {
    var own = lanes[track] ?? []
    if let index = own.firstIndex(where: { $0.free <= began }) {
      own[index].free = end
      lanes[track] = own
      return own[index].track
    }
    lastTrack += 1
    own.append((lastTrack, end))
    lanes[track] = own
    let owner = tracks.flow(FlowID(rawValue: UInt64(track)))
    name(lastTrack, "\(owner.map { "\($0.name) \($0.id)" } ?? "runtime") · operations")
    return lastTrack
  }

  // MARK: - Events of the format

  private mutating func name(_ track: Int, _ name: String) {
    event("M", track, "thread_name", nil, [("args", .object([("name", .text(name))]))])
    event(
      "M", track, "thread_sort_index", nil, [("args", .object([("sort_index", .whole(track))]))])
  }

  private mutating func slice(
    _ track: Int, _ name: String, _ category: String, _ began: Duration, _ ended: Duration?,
    _ arguments: [(String, JSON)]
  ) {
    let end = ended ?? recording.end
    event(
      "X", track, name, began,
      [
        ("cat", .text(category)), ("dur", .number((end - began).microseconds)),
        ("args", .object(arguments + (ended == nil ? [("open", .flag(true))] : []))),
      ])
  }

  private mutating func instant(_ track: Int, _ name: String, _ time: Duration) {
    event("i", track, name, time, [("s", .text("t"))])
  }

  private mutating func arrow(
    _ id: OperationID, from: Int, at began: Duration, to: Int, at told: Duration
  ) {
    let common: [(String, JSON)] = [
      ("cat", .text("cancellation")), ("id", .whole(Int(clamping: id.rawValue))),
    ]
    event("s", from, "cancels", began, common)
    event("f", to, "cancels", told, common + [("bp", .text("e"))])
  }

  private mutating func event(
    _ phase: String, _ track: Int, _ name: String, _ time: Duration?, _ more: [(String, JSON)]
  ) {
    var members: [(String, JSON)] = [
      ("ph", .text(phase)), ("pid", .whole(1)), ("tid", .whole(track)), ("name", .text(name)),
    ]
    if let time { members.append(("ts", .number(time.microseconds))) }
    events.append(.object(members + more))
  }
}
