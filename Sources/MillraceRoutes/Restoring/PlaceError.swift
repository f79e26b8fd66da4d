// What is wrong with the bytes of a saved place, and the check sum that finds it.

/// Why a saved place cannot be read at all.
public enum PlaceError: Error, Sendable, Equatable, CustomStringConvertible {
  /// It has more bytes than are read.
  case tooLong(bytes: Int, limit: Int)
  /// It is not what was written; what is wrong.
  case damaged(String)
  /// It was written by a newer version of the app.
  case version(Int)

  /// What is wrong.
  public var description: String {
    switch self {
    case .tooLong(let bytes, let limit):
      "the saved place has \(bytes) bytes, and \(limit) are read at most"
    case .damaged(let words): "the saved place is damaged: \(words)"
    case .version(let version):
      "the saved place has version \(version), and this app reads 1"
    }
  }
}

/// FNV-1a of 64 bits, by Fowler, Noll and Vo: any one byte that differs makes another sum.
enum PlaceSum {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
