// Fake remote calls: held at a gate, counted, and as deaf to cancellation as a trial wants them.

import Millrace
import RaceLab
import Testing

/// What becomes of a cancellation on its way to the work.
enum Hearing: String, CaseIterable, Sendable {
  /// The work stops.
  case cooperative
  /// The work is cancelled and takes no notice.
  case deaf
  /// The work is never cancelled: it runs in a task that no cancellation reaches.
  case shielded
}

/// A call that waits at a gate.
final class Remote<Value: Sendable>: Sendable {
  let gate: Gate<Value>
  private let hearing: Hearing

  init(_ lab: Lab, _ name: String, _ hearing: Hearing = .cooperative) {
    gate = lab.gate(of: Value.self, name, hearing == .deaf ? .deaf : .cooperative)
    self.hearing = hearing
  }

  /// How often it was called.
  var calls: Int { gate.arrivals }
  /// How many calls are still under way.
  var pending: Int { gate.waiterCount }

  @concurrent func call() async throws -> Value {
    guard hearing == .shielded else { return try await gate.wait() }
    let gate = gate
    let work = Task.detached {
      let value = try await gate.wait()
      #expect(!Task.isCancelled, "a shielded call must not be reached by a cancellation")
      return value
    }
    return try await work.value
  }
}

/// The form in which a flow waits for an answer.
enum Way: String, CaseIterable, Sendable {
  /// `perform` with a closure.
  case perform
  /// `value` in a task of the flow.
  case value
  /// A callback that is called from a foreign task, which nothing cancels.
  case reply
}

/// One combination of a way to wait and a kind of work.
struct Trial: Sendable, CustomTestStringConvertible {
  let way: Way
  let hearing: Hearing

  var testDescription: String { "\(way.rawValue), \(hearing.rawValue)" }

  static let all = Way.allCases.flatMap { way in
    Hearing.allCases.map { Trial(way: way, hearing: $0) }
  }

  /// How many stale results one call leaves whose run is over before its answer comes.
  var staleResults: Int { hearing == .cooperative && way != .reply ? 0 : 1 }
}

extension FlowScope {
  /// Loads in the given way. The operation that waits for the answer is named by the key; `then`
  /// hears a success or a failure, and never a cancellation.
  func load<Value: Sendable>(
    _ key: String, _ remote: Remote<Value>, by way: Way,
    then: @escaping @MainActor (Result<Value, any Error>) -> Void
  ) {
    switch way {
    case .perform: perform(key, .latest, { try await remote.call() }, then: then)
    case .value:
      wait(then) { try await value(key) { try await remote.call() } }
    case .reply:
      wait(then) {
        try await reply(key) { reply in
          Task.detached {
            do { reply.succeed(try await remote.call()) } catch { reply.fail(error) }
          }
        }
      }
    }
  }

  private func wait<Value: Sendable>(
    _ then: @escaping @MainActor (Result<Value, any Error>) -> Void,
    for answer: @escaping @MainActor () async throws -> Value
  ) {
    task("waiter") {
      let result: Result<Value, any Error>
      do { result = .success(try await answer()) } catch is OperationCancelled {
        return
      } catch { result = .failure(error) }
      then(result)
    }
  }
}
