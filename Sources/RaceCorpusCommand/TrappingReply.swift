// A reply that is resumed twice in some orders, with a continuation that traps then.

@MainActor final class TrappingReply {
  private var continuation: CheckedContinuation<Void, Never>?
  private var isDone = false

  func wait() async {
    await withCheckedContinuation { continuation = $0 }
  }

  /// Asks whether it is done, and acts on the answer a moment later.
  func answer() async {
    let wasDone = isDone
    await Task.yield()
    if wasDone { return }
    isDone = true
    continuation?.resume()
  }
}
