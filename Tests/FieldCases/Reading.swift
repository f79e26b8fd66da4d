// Reading a child's outputs in each of the forms that there are, with one kind of record.

import Millrace
import RaceLab
import Testing

/// The form in which an owner hears its child.
enum Reading: String, CaseIterable, Sendable {
  /// A closure that is given to `start`.
  case closure
  /// `for try await` over `Child.outputs`.
  case outputs
  /// `for await` over `outputs.asyncStream`.
  case asyncStream
  /// `for try await` over `outputs.asyncThrowingStream`.
  case throwingStream

  static let loops: [Reading] = [.outputs, .asyncStream, .throwingStream]
}

/// What an owner heard, in order: outputs as they are, then "ended(kind)" or "error(case)".
@MainActor
final class Record {
  private(set) var lines: [String] = []
  /// True when the reader has come to its end.
  private(set) var isDone = false

  func add(_ line: String) { lines.append(line) }

  fileprivate func finish(_ line: String) {
    lines.append(line)
    isDone = true
  }
}

extension FlowScope {
  /// Starts a screen whose outputs are read into a record from the beginning.
  func open(
    _ name: String, buffer: Int = 64, by reading: Reading, into record: Record,
    onStart: @escaping @MainActor (Screen) -> Void = { _ in },
    onEnd: @escaping @MainActor (Screen, Ending<String>) -> Void = { _, _ in }
  ) -> Child<Screen> {
    guard reading == .closure else {
      let child = open(name, buffer: buffer, onStart: onStart, onEnd: onEnd)
      read(child, by: reading, into: record)
      return child
    }
    return open(
      name, buffer: buffer, onStart: onStart, onEnd: onEnd, onOutput: { record.add($0) },
      onOverflow: { record.add("error(overflow)") },
      onEnding: { record.finish("ended(\($0.kind))") })
  }

  /// Reads the outputs in a task of this flow; after each it waits at the gate, if there is one.
  @discardableResult
  func read(
    _ child: Child<Screen>, by reading: Reading, into record: Record, pause: Gate<Void>? = nil
  ) -> TaskOperation {
    task("reader") {
      do {
        let outputs = child.outputs
        switch reading {
        case .outputs:
          for try await output in outputs {
            record.add(output)
            try await pause?.wait()
          }
        case .throwingStream:
          for try await output in outputs.asyncThrowingStream {
            record.add(output)
            try await pause?.wait()
          }
        case .closure, .asyncStream:
          for await output in outputs.asyncStream {
            record.add(output)
            try await pause?.wait()
          }
          if let failure = outputs.failure { throw failure }
        }
        record.finish("ended(\(await child.ending.kind))")
      } catch let error as OutputError {
        record.finish("error(\(error == .overflow ? "overflow" : "alreadyAttached"))")
      }
    }
  }
}
