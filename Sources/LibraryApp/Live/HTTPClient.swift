// Requests over HTTP that can be cancelled at any moment.

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPURLResponse {
  /// How many seconds the server asks to wait, from 0 to a day; nil if it does not.
  var retryAfter: Int? {
    value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }.map { min(max($0, 0), 86_400) }
  }
}

/// Asks servers over HTTP. A request whose task is cancelled ends with `URLError.cancelled`, down to
/// the socket, unless its answer is there already.
///
/// It stands in for `URLSession.data(for:)`, which Foundation on Linux (as of Swift 6.3) does not
/// survive: its cancellation handler waits for the queue that resumes the waiting task, and that
/// waits for the handler; and a request that is cancelled while its answer arrives, or while it is
/// looked up in a cache, may end twice, which traps. Here the handler waits for nothing, there is no
/// cache, and a request is cancelled in the queue of the answers: before its answer, or after it.
///
/// On a busy Linux machine about one new connection in some hundreds is not seen to be open, if the
/// descriptor of one that was just closed serves it: its request is never sent. Only `timeout`, or a
/// limit of the caller's, ends it.
package struct HTTPClient: Sendable {
  private let session: URLSession

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - timeout: seconds without a byte of the answer, after which a request fails.
  ///   - connections: how many are open to one server at a time, at most.
  package init(timeout: TimeInterval = 60, connections: Int = 6) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.urlCache = nil
    session = URLSession(configuration: configuration)
  }

  /// Lets go of the connections, after the requests that are under way. There must be none after it.
  package func close() { session.finishTasksAndInvalidate() }

  /// The answer to a request.
  ///
  /// - Throws: the `URLError` for which there is none.
  package func answer(to request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    if Task.isCancelled { throw URLError(.cancelled) }
    let asked = Locked(Asked.not)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = session.dataTask(with: request) { data, response, error in
          if let error {
            continuation.resume(throwing: error)
          } else if let response = response as? HTTPURLResponse {
            continuation.resume(returning: (data ?? Data(), response))
          } else {
            continuation.resume(throwing: URLError(.badServerResponse))
          }
        }
        task.resume()
        let before = asked.withLock { state in
          defer { state = .asked(task) }
          return state
        }
        if case .cancelled = before { cancel(task) }
      }
    } onCancel: {
      let before = asked.withLock { state in
        defer { state = .cancelled }
        return state
      }
      if case .asked(let task) = before { cancel(task) }
    }
  }

  private func cancel(_ task: URLSessionTask) {
    session.delegateQueue.addOperation { task.cancel() }
  }

  private enum Asked: Sendable {
    case not
    case asked(URLSessionTask)
    case cancelled
  }
}
