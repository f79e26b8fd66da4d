// The one way to the journal: commits one after the other, in the order in which they were asked for.
// What gathers while one is made goes into the next as one, so that many writes share a sync.

@MainActor
final class JournalQueue {
  typealias Then = @MainActor (JournalError?) -> Void

  private let journal: any WriteJournal
  private weak var core: RuntimeCore?
  private var waiting = Fifo<Request>()
  private var isRunning = false
  /// The most requests that share one commit.
  private static let batch = 256

  private struct Request {
    let changes: [JournalChange]
    let then: Then
  }

  init(_ journal: any WriteJournal, core: RuntimeCore) {
    self.journal = journal
    self.core = core
  }

  /// Makes the changes as one, after all that was asked for before. The closure hears it in a
  /// main-actor job of its own.
  func commit(_ changes: [JournalChange], then: @escaping Then) {
    // Once the runtime is closed nothing begins any more, and nobody is left to hear of it.
    guard let root = core?.root else { return }
    waiting.append(Request(changes: changes, then: then))
    guard !isRunning else { return }
    isRunning = true
    // A commit that has begun is made, whatever ends meanwhile.
    let run = TaskOperation(name: "write journal", owner: root) {
      [journal] in
      while let requests = self.take() {
        do {
          try await journal.commit(requests.flatMap(\.changes))
          self.answer(requests, nil)
        } catch  where requests.count == 1 {
          self.answer(requests, JournalError(error))
        } catch {
          // One of them may be at fault: each gets an answer of its own.
          for request in requests { await self.alone(request) }
        }
      }
    }
    run.survivesEnd = true
    run.launch()
  }

  private func alone(_ request: Request) async {
    do {
      try await journal.commit(request.changes)
      answer([request], nil)
    } catch {
      answer([request], JournalError(error))
    }
  }

  private func take() -> [Request]? {
    var requests: [Request] = []
    while requests.count < Self.batch, let next = waiting.popFirst() { requests.append(next) }
    if requests.isEmpty { isRunning = false }
    return requests.isEmpty ? nil : requests
  }

  private func answer(_ requests: [Request], _ error: JournalError?) {
    for request in requests { request.then(error) }
    core?.drain()
  }
}
