// What a flow has told and nobody has heard yet. Keeps R12 and R15.
//
// The owner's closure and the one reader take from the same bounded buffer, so there is one order
// and one meaning of overflow. A reader that is resumed carries no value: it takes one after it
// has checked.

@MainActor
final class Mailbox<Output: Sendable> {
  private var unread = Fifo<Output>()
  /// After how many unread values the overflow comes; nil when there is none to tell.
  private var overflowAfter: Int?
  private(set) var hasOverflowed = false
  /// The value of `finish`, which the ending repeats.
  private(set) var final: Output?
  var reader: CheckedContinuation<Void, Never>?
  /// The one reader, if there is one. Weak: a reader that is gone makes room for the next.
  weak var attachment: Attachment?

  /// What one who takes finds.
  enum Taken { case value(Output), overflow, nothing }

  var count: Int { unread.count }
  /// True if there is nothing in it that anybody could come back for.
  var isIdle: Bool { unread.isEmpty && !hasOverflowed && final == nil && reader == nil }

  func append(_ value: Output) { unread.append(value) }

  func finish(_ value: Output) {
    final = value
    unread.append(value)
  }

  func overflow() {
    hasOverflowed = true
    overflowAfter = unread.count
  }

  /// Takes the oldest unread output, or the overflow if it is its turn.
  func take() -> Taken {
    if let left = overflowAfter {
      if left == 0 {
        overflowAfter = nil
        return .overflow
      }
      overflowAfter = left - 1
    }
    guard let value = unread.popFirst() else { return .nothing }
    return .value(value)
  }

  /// Drops what is unread. Returns how many values that was.
  func drop() -> Int {
    overflowAfter = nil
    return unread.removeAll()
  }

  func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.resume()
  }
}
