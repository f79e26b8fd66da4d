// One-shot answers for delegate and callback APIs: resumed exactly once, whatever happens.

import Synchronization

/// The right to answer once, from any thread.
///
/// The first answer counts, later ones are refused. If it is released without an answer, the one
/// who waits gets `ReplyDropped`.
public final class Reply<Value: Sendable>: Sendable {
  private let isAnswered = Atomic<Bool>(false)
  private let run: Operation<Value>
  private let core: RuntimeCore

  @MainActor
  init(_ run: Operation<Value>) {
    self.run = run
    core = run.core
  }

  deinit { send(.failure(ReplyDropped())) }

  /// Answers with a value.
  @discardableResult
  public func succeed(_ value: Value) -> Acceptance { answer(.success(value)) }

  /// Answers with an error.
  @discardableResult
  public func fail(_ error: any Error) -> Acceptance { answer(.failure(error)) }

  /// Answers. Refused if it was answered before; an answer to one who no longer waits is stale.
  @discardableResult
  public func answer(_ result: Result<Value, any Error>) -> Acceptance {
    if send(result) { return .accepted }
    let core = core
    let run = run
    core.ingress.post(.call { core.refuse(.secondAnswer, run.owner, operation: run) }, to: core)
    return .refused(.secondAnswer)
  }

  @discardableResult
  private func send(_ result: Result<Value, any Error>) -> Bool {
    guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return false }
    let run = run
    core.ingress.post(
      .call {
        // A dropped reply to an operation that is over is no answer at all.
        if case .failure(let error) = result, error is ReplyDropped, run.isSettled { return }
        switch result {
        case .success(let value): run.accept(value)
        case .failure(let error): run.accept(failure: error)
        }
      }, to: core)
    return true
  }
}

/// The failure of a reply that was released without an answer.
public struct ReplyDropped: Error, Sendable, Equatable, CustomStringConvertible {
  /// What happened and what to do.
  public var description: String {
    "the reply was released without an answer; answer it on every path of the callback"
  }
}

extension FlowScope {
  /// Asks a callback API and waits for its one answer, inside a task of this flow.
  ///
  /// ```swift
  /// let code = try await scope.reply("scan") { reply in
  ///   scanner.scan { reply.succeed($0) } onError: { reply.fail($0) }
  /// }
  /// ```
  ///
  /// - Throws: the error of the answer, `ReplyDropped`, `OperationTimedOut`; when the flow ends,
  ///   at once, `OperationCancelled`; `Refused` after.
  public func reply<Value: Sendable>(
    _ name: String = "reply", limit: Duration? = nil, _ ask: (Reply<Value>) throws -> Void
  ) async throws -> Value {
    guard node.isRunning else {
      core.refuse(.workAfterEnd, node)
      throw Refused(.workAfterEnd)
    }
    let run = Operation<Value>(name: name, owner: node, limit: limit, isForReader: true)
    run.launch()
    do { try ask(Reply(run)) } catch {
      run.cancel(.requested)
      throw error
    }
    return try await run.take()
  }
}
