// Keys, read from the bytes that a terminal sends.

/// A key.
package enum Key: Equatable, Sendable {
  case character(Character)
  /// A letter with Ctrl.
  case control(Character)
  case up, down, left, right, pageUp, pageDown, home, end
  case enter, tab, backTab, escape, backspace
  /// F1.
  case help
  /// One that means nothing here.
  case other
}

/// Makes keys of bytes, which may come in any parts. Nothing that comes traps; what is no key is
/// skipped.
package struct KeyReader {
  private var bytes: [UInt8] = []

  /// The longest sequence that is waited for.
  private static let longest = 32

  package init() {}

  /// True if the bytes so far are the beginning of something; an escape alone is, too.
  package var isWaiting: Bool { !bytes.isEmpty }

  /// Takes bytes, and gives the keys that are complete.
  package mutating func read(_ new: some Sequence<UInt8>) -> [Key] {
    bytes += new
    var keys: [Key] = []
    while let (key, length) = first() {
      keys.append(key)
      bytes.removeFirst(length)
    }
    return keys
  }

  /// Nothing more came: what waited is what it is.
  package mutating func giveUp() -> [Key] {
    defer { bytes = [] }
    guard let first = bytes.first else { return [] }
    guard first == 0x1B, bytes.count > 1 else { return [first == 0x1B ? .escape : .other] }
    return [.escape, .other]
  }

  /// The first key and its length, or nil if it is not complete.
  private func first() -> (Key, Int)? {
    guard let byte = bytes.first else { return nil }
    switch byte {
    case 0x1B: return sequence()
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x00...0x1F: return (.control(Character(Unicode.Scalar(byte + 0x60))), 1)
    case 0x20...0x7E: return (.character(Character(Unicode.Scalar(byte))), 1)
    default: return utf8(byte)
    }
  }

  private func utf8(_ byte: UInt8) -> (Key, Int)? {
    let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
    let tail = bytes.dropFirst().prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }
    if tail.count < length - 1, bytes.count == tail.count + 1 { return nil }
    let text = String(validating: bytes.prefix(tail.count + 1), as: UTF8.self)
    guard let character = text?.first else { return (.other, tail.count + 1) }
    return (.character(character), tail.count + 1)
  }

  /// ESC [ … and ESC O …, as xterm and its kin send them.
  private func sequence() -> (Key, Int)? {
    guard bytes.count > 1 else { return nil }
    guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
      // Alt with a key, or an escape that was typed fast.
      return (.escape, 1)
    }
    // Of the Linux console: ESC [ [ A to E.
    if bytes.count > 2, bytes[2] == UInt8(ascii: "[") {
      guard bytes.count > 3 else { return nil }
      return (bytes[3] == UInt8(ascii: "A") ? .help : .other, 4)
    }
    let tail = bytes.dropFirst(2)
    guard let end = tail.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return bytes.count > Self.longest ? (.other, bytes.count) : nil
    }
    let length = end + 1
    switch bytes[end] {
    case UInt8(ascii: "A"): return (.up, length)
    case UInt8(ascii: "B"): return (.down, length)
    case UInt8(ascii: "C"): return (.right, length)
    case UInt8(ascii: "D"): return (.left, length)
    case UInt8(ascii: "H"): return (.home, length)
    case UInt8(ascii: "F"): return (.end, length)
    case UInt8(ascii: "Z"): return (.backTab, length)
    case UInt8(ascii: "M") where bytes[1] == UInt8(ascii: "O"): return (.enter, length)
    case UInt8(ascii: "P") where bytes[1] == UInt8(ascii: "O"): return (.help, length)
    case UInt8(ascii: "~"):
      switch String(decoding: bytes[2..<end].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
      case "1", "7": return (.home, length)
      case "4", "8": return (.end, length)
      case "5": return (.pageUp, length)
      case "6": return (.pageDown, length)
      case "11": return (.help, length)
      default: return (.other, length)
      }
    default: return (.other, length)
    }
  }
}
