// What `for try await output in child.outputs` reads. Keeps R12 and R15.
//
// The values wait in the child's mailbox on the main actor. A reader that is resumed takes one in
// its own step, after the checks: nothing that was dropped meanwhile can reach it.

/// Why an output stream throws.
public enum OutputError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is another reader, or the outputs go to a closure.
  case alreadyAttached
  /// The buffer was full and later values were refused. All values before it have been read.
  case overflow

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .alreadyAttached:
      "the outputs of this child already have a reader; keep one loop, or pass values on from it"
    case .overflow:
      "the child sent more than its buffer holds, and later values were refused; "
        + "read faster, or start the child with a larger buffer"
    }
  }
}

/// The outputs of one child, for one reader at a time.
///
/// The loop ends when the child's end has been told, and at once when the owner has ended.
/// A cancelled reading task gets nil. After a loop was left another one may go on reading.
@MainActor
public struct OutputStream<Output: Sendable> {
  let node: OutputNode<Output>
  let owner: Owner
  private let met = ReaderFailure()

  init(node: OutputNode<Output>, owner: Owner) {
    self.node = node
    self.owner = owner
  }

  /// A real `AsyncStream` of the same values, pulled from the mailbox on demand.
  ///
  /// A value that was handed to it counts as read, also if the child is dismissed before the loop
  /// body sees it: check `Child.isCurrent` there. It cannot throw: it ends at an overflow or for a
  /// second reader, which `failure` tells. Copies of the stream share one fate: two loops over one
  /// value end both, and what is left can be read through a new `Child.outputs`.
  public var asyncStream: AsyncStream<Output> {
    let source = Source(node: node, owner: owner, met: met)
    return AsyncStream { await source.nextOrNil() }
  }

  /// `asyncStream` that throws the error instead of ending at it.
  public var asyncThrowingStream: AsyncThrowingStream<Output, any Error> {
    let source = Source(node: node, owner: owner, met: met)
    return AsyncThrowingStream { try await source.next() }
  }

  /// The last error that a reader made from this value met, or nil.
  public var failure: OutputError? { met.error }
}

extension OutputStream: @MainActor AsyncSequence {
  /// Reads the values, in order.
  @MainActor
  public struct AsyncIterator: @MainActor AsyncIteratorProtocol {
    private let source: Source<Output>

    fileprivate init(source: Source<Output>) { self.source = source }

    /// The next value; nil when no more will come.
    public mutating func next() async throws(OutputError) -> Output? { try await source.next() }
  }

  /// Makes the reader. It attaches when it first asks for a value.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(source: Source(node: node, owner: owner, met: met))
  }
}

/// The last error of the readers of one `OutputStream` value.
@MainActor
private final class ReaderFailure {
  var error: OutputError?
}

/// The mark of the one reader; see `Mailbox.attachment`.
final class Attachment: Sendable {}

/// One reader of a mailbox.
@MainActor
private final class Source<Output: Sendable> {
  private let node: OutputNode<Output>
  private let mailbox: Mailbox<Output>
  private let owner: Owner
  private let met: ReaderFailure
  private var attachment: Attachment?
  private var isReading = false

  init(node: OutputNode<Output>, owner: Owner, met: ReaderFailure) {
    self.node = node
    self.owner = owner
    self.met = met
    mailbox = node.openMailbox()
  }

  func nextOrNil() async -> Output? { try? await next() }

  func next() async throws(OutputError) -> Output? {
    // Copies of one `AsyncStream` share this source.
    guard !isReading else { throw refuseSecond() }
    if attachment == nil { try attach() }
    isReading = true
    defer { isReading = false }
    while true {
      if Task.isCancelled { return nil }
      // What a child had finished with is not for an owner that has ended since (R10, R15).
      if !owner.isRunning { node.dropUnread(.ownerEnded) }
      if mailbox.takeOverflow() { throw fail(.overflow) }
      if let letter = mailbox.take() {
        node.core.outputsDelivered += 1
        return letter.value
      }
      if node.isFinished(for: owner) { return nil }
      await park()
    }
  }

  private func attach() throws(OutputError) {
    guard !node.hasListener, mailbox.attachment == nil else { throw refuseSecond() }
    let mark = Attachment()
    attachment = mark
    mailbox.attachment = mark
  }

  private func refuseSecond() -> OutputError {
    node.core.refuse(.alreadyAttached, node)
    return fail(.alreadyAttached)
  }

  private func fail(_ error: OutputError) -> OutputError {
    met.error = error
    return error
  }

  private func park() async {
    let node = node
    let mailbox = mailbox
    await withTaskCancellationHandler {
      unsafe await withUnsafeContinuation { continuation in
        let parked = unsafe Parked(continuation)
        if !Task.isCancelled { mailbox.reader = consume parked }
      }
    } onCancel: {
      node.core.ingress.post(.readerCancelled(node), to: node.core)
    }
  }
}
