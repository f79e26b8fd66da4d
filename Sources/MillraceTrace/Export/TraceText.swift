// A recording as text: a line for each event, with its time.

import Millrace

extension TraceRecording {
  /// The lines.
  public var text: String {
    var lines = dropped > 0 ? ["\(dropped) older events were dropped"] : []
    for timed in events {
      let time = timed.time.short
      let pad = String(repeating: " ", count: max(0, 12 - time.count))
      lines.append("\(pad)\(time)  \(timed.event.line)")
    }
    return lines.joined(separator: "\n")
  }
}

extension TraceEvent {
  /// The event in words, on one line.
  package var line: String {
    switch self {
    case .flowStarted(let id, let name, let owner, let presentation):
      "\(name) \(id) starts under \(owner.map { "\($0)" } ?? "the runtime"), \(presentation.rawValue)"
    case .flowEnded(let id, let name, let kind): "\(name) \(id) has ended: \(kind.rawValue)"
    case .flowTold(let id, let name): "the end of \(name) \(id) is told"
    case .endBegan(let id, let name, let kind):
      "an end begins: \(name)\(id.map { " \($0)" } ?? ""), \(kind.rawValue)"
    case .endApplied(let id, let name):
      "the end is applied: \(name)\(id.map { " \($0)" } ?? "")"
    case .output(let id, let name): "\(name) \(id) tells its owner something"
    case .outputsDropped(let id, let name, let count): "\(count) outputs of \(name) \(id) dropped"
    case .overflow(let id, let name, let limit):
      "the buffer of \(name) \(id) is full at \(limit)"
    case .operationStarted(let id, let name, let owner):
      "\(name) \(id) begins\(owner.map { " in \($0)" } ?? "")"
    case .operationEnded(let id, let name, let outcome):
      switch outcome {
      case .succeeded: "\(name) \(id) succeeded"
      case .failed: "\(name) \(id) failed"
      case .cancelled(let cause): "\(name) \(id) is cancelled: \(cause.rawValue)"
      }
    case .operationQuiet(let id, let name): "\(name) \(id) is quiet"
    case .refused(let kind, let name, let flow, let operation):
      "refused: \(kind), \(name)\(flow.map { " \($0)" } ?? "")\(operation.map { " \($0)" } ?? "")"
    case .problem(let text): "problem: \(text)"
    case .command(let command): "to the host: \(command.line)"
    case .report(let report): "from the host: \(report.line)"
    case .hostTimeout(let command): "no answer from the host to: \(command.line)"
    case .gestureTimeout(let id): "the gesture on \(id) takes too long and counts as over"
    case .requestDropped(let id, let kind):
      "\(id) has ended before the host was asked: \(kind.rawValue)"
    case .navigated(let command, let origin, let answer):
      "\(origin.line) wants: \(command.line); \(answer.line)"
    case .session(.undetermined): "session: not known yet"
    case .session(.signedOut): "session: nobody is signed in"
    case .session(.signedIn(let session)):
      "session: \(session.account) is signed in, \(session.epoch)"
    case .sessionClosed(let epoch, let reason): "\(epoch) is closed: \(reason.rawValue)"
    case .leak(let id, let name, let holders):
      "\(name) \(id) has ended and is still in memory, held by \(holders.joined(separator: ", "))"
    case .write(let intent, let name, let phase): "\(name) \(intent): \(phase)"
    }
  }
}
