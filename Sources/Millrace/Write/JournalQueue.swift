// The one way to the journal: commits one after the other, in the order in which they were asked for.
// What gathers while one is made goes into the next as one, so that many writes share a sync.
// A commit that does not return is shown and waited for: whether it is made is not known before, and
// what waits behind it must not overtake it.

@MainActor
final class JournalQueue {
  typealias Then = @MainActor (JournalError?) -> Void

  /// What is wrong while a commit has not returned within the limit; nil otherwise.
  private(set) var silence: JournalError? {
    didSet { if silence != oldValue { onSilence() } }
  }
  /// Called when the journal has fallen silent, and when it answers again.
  var onSilence: @MainActor () -> Void = {}

  private let journal: any WriteJournal
  private let limit: Duration
  private weak var core: RuntimeCore?
  private var waiting = Fifo<Request>()
  private var isRunning = false
  /// The most requests that share one commit.
  private static let batch = 256

  private struct Request {
    let changes: [JournalChange]
    let then: Then
  }

  init(_ journal: any WriteJournal, limit: Duration, core: RuntimeCore) {
    self.journal = journal
    self.limit = limit
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
      while let requests = self.take() {
        do {
          try await self.make(requests.flatMap(\.changes))
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
      try await make(request.changes)
      answer([request], nil)
    } catch {
      answer([request], JournalError(error))
    }
  }

  /// One commit, however long it takes.
  private func make(_ changes: [JournalChange]) async throws {
    let timer = core?.timers.after(limit) { [weak self] in
      guard let self else { return }
      silence = JournalError(.silent, "a commit has taken more than \(limit)")
    }
    defer {
      timer?.cancel()
      silence = nil
    }
    try await journal.commit(changes)
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
