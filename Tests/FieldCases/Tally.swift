// Real threads: counting across them, waiting for a count, and what to wait with.

import RaceLab
import Dispatch
import Foundation
import Millrace

/// A count that any thread may raise and a task may wait for.
final class Tally: Sendable {
  private struct State {
    var count = 0
    var waiter: (count: Int, continuation: CheckedContinuation<Void, Never>)?
  }
  private let state = Guarded(State())

  var count: Int { state.withLock { $0.count } }

  func add(_ more: Int = 1) {
    let due = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.count += more
      guard let waiter = state.waiter, waiter.count <= state.count else { return nil }
      state.waiter = nil
      return waiter.continuation
    }
    due?.resume()
  }

  /// Waits until the count is at least this, or until the task is cancelled, as by a time limit.
  /// For one task at a time.
  func reached(_ count: Int, isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.count >= count || Task.isCancelled { return true }
          state.waiter = (count, continuation)
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.continuation.resume()
    }
  }
}

/// Waits, in a task of its own, until it is cancelled.
@concurrent func untilCancelled() async {
  let (never, feed) = AsyncStream.makeStream(of: Void.self)
  for await _ in never {}
  feed.finish()
}

/// Runs a closure on a number of new threads at the same time.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  for number in 0..<count { Thread { body(number) }.start() }
}

private let mainQueueMark: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// True on the main queue. Unlike an assertion it can say no; and on Linux the main queue is not
/// always served by the main thread.
func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainQueueMark) ?? false }

/// A sink that keeps reports and counts what comes to it off the main queue.
@MainActor
final class ReportSink: TraceSink {
  private(set) var reports: [HostReport] = []
  private(set) var strays = 0
  let reported = Tally()

  func record(_ event: TraceEvent) {
    if !isOnMainQueue() { strays += 1 }
    guard case .report(let report) = event else { return }
    reports.append(report)
    reported.add()
  }
}
