// What a flow has told and nobody has heard yet. Keeps R12 and R15.
//
// The owner's closure and the one reader take from the same bounded buffer, so there is one order
// and one meaning of overflow. A reader that is resumed carries no value: it takes one after it
// has checked.
//
// Each value is in a box of its own, and the boxes are a list: a reference to a box is one word,
// whatever the type of the value, while each `Output?` or `[Output]` would be looked up at run time.

/// One value that was told.
@MainActor @usableFromInline
final class Letter<Output: Sendable> {
  fileprivate var next: Letter?
  @usableFromInline let value: Output

  /// Required, so that the type can be looked up once and kept.
  required init(_ value: Output) { self.value = value }
}

@MainActor
final class Mailbox<Output: Sendable> {
  private let letterType = Letter<Output>.self
  private var oldest: Letter<Output>?
  private var newest: Letter<Output>?
  private(set) var count = 0
  /// After how many unread values the overflow comes; negative when there is none to tell.
  private var overflowAfter = -1
  private(set) var hasOverflowed = false
  /// The value of `finish`, which the ending repeats.
  private(set) var final: Letter<Output>?
  var reader: Parked?
  /// The one reader, if there is one. Weak: a reader that is gone makes room for the next.
  weak var attachment: Attachment?

  /// True if the next value can be heard at once: nothing waits, and nobody does.
  var isIdle: Bool { count == 0 && !hasOverflowed && final == nil && reader == nil }

  func append(_ value: Output) { append(letterType.init(value)) }

  func finish(_ value: Output) {
    let letter = letterType.init(value)
    final = letter
    append(letter)
  }

  private func append(_ letter: Letter<Output>) {
    if let newest { newest.next = letter } else { oldest = letter }
    newest = letter
    count += 1
  }

  func overflow() {
    hasOverflowed = true
    overflowAfter = count
  }

  /// Takes the overflow, if all that came before it has been read.
  func takeOverflow() -> Bool {
    guard overflowAfter == 0 else { return false }
    overflowAfter = -1
    return true
  }

  /// Takes the oldest unread value. The overflow is asked for first.
  func take() -> Letter<Output>? {
    guard let letter = oldest else { return nil }
    if overflowAfter > 0 { overflowAfter -= 1 }
    unlink(letter)
    return letter
  }

  /// Drops what is unread. Returns how many values that was.
  func drop() -> Int {
    overflowAfter = -1
    let dropped = count
    // One by one: a list that is let go of at its head is freed by recursion.
    while let letter = oldest { unlink(letter) }
    return dropped
  }

  private func unlink(_ letter: Letter<Output>) {
    oldest = letter.next
    letter.next = nil
    if oldest == nil { newest = nil }
    count -= 1
  }

  func wakeReader() { reader = nil }
}
