// The parts of a link, split as the URL standard says (https://url.spec.whatwg.org), as far as
// links of apps go: https with a host, and schemes of apps.
//
// Not with Foundation's `URLComponents`: it follows RFC 3986, and tells only that a text is wrong.
// It keeps dot segments and backslashes, repairs percent signs, takes "+" in a query for itself, and
// so can name another place than the browser in which the link was tapped.

/// A link before it is compared with patterns. Parts are told apart before they are decoded: an
/// encoded slash is no slash.
struct LinkAddress {
  /// In lower case.
  var scheme: String
  /// Of https and http: in lower case. Of an app's scheme it is a part of the path.
  var host: String?
  /// The path, decoded, without the slash at its end.
  var parts: [String] = []
  /// The query as it stands.
  var query: ArraySlice<UInt8> = []

  /// The most bytes that are read.
  static let limit = 8_192

  init(_ text: String) throws(LinkError) {
    guard text.utf8.count <= LinkAddress.limit else {
      throw .tooLong(bytes: text.utf8.count, limit: LinkAddress.limit)
    }
    var rest = LinkAddress.trimmed(text)
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      LinkAddress.isScheme(rest[..<colon])
    else { throw .noScheme(text) }
    scheme = LinkAddress.lowercased(rest[..<colon])
    rest = rest[(colon + 1)...]
    if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[(mark + 1)...]
      rest = rest[..<mark]
    }
    if isWeb {
      try takeHost(from: &rest)
      try takePath(rest)
    } else {
      try takeOwnPath(rest)
    }
  }

  /// True for https and http, where a backslash is a slash.
  var isWeb: Bool { scheme == "https" || scheme == "http" }

  // MARK: - Pieces

  private mutating func takeHost(from rest: inout ArraySlice<UInt8>) throws(LinkError) {
    rest = rest.drop(while: isSlash)
    let end = rest.firstIndex(where: isSlash) ?? rest.endIndex
    let authority = rest[..<end]
    rest = rest[end...]
    if authority.contains(UInt8(ascii: "@")) { throw .notForLinks(part: "user or password") }
    var name = authority
    // The colons of an address in brackets are its own.
    let isBracketed = authority.first == UInt8(ascii: "[")
    let bracket =
      authority.lastIndex(of: UInt8(ascii: "]"))
      ?? (isBracketed ? authority.endIndex : authority.startIndex)
    if let colon = authority[bracket...].lastIndex(of: UInt8(ascii: ":")) {
      let port = authority[(colon + 1)...]
      let usual = scheme == "https" ? "443" : "80"
      guard port.isEmpty || port.drop(while: { $0 == UInt8(ascii: "0") }).elementsEqual(usual.utf8)
      else { throw .notForLinks(part: "port") }
      name = authority[..<colon]
    }
    if LinkAddress.isIPv6(name) {
      host = LinkAddress.lowercased(name)
      return
    }
    guard let decoded = PercentCoding.decode(name), !decoded.isEmpty else {
      throw .damagedHost(String(decoding: name, as: UTF8.self))
    }
    // What maps other letters to ASCII is a table as large as Unicode; systems hand links on with
    // the host in ASCII already.
    guard decoded.utf8.allSatisfy({ $0 < 0x80 }) else { throw .hostNotASCII(decoded) }
    guard decoded.utf8.allSatisfy(isHostCharacter) else { throw .damagedHost(decoded) }
    host = LinkAddress.lowercased(decoded.utf8)
  }

  /// Whether it reads as an address in brackets does: no link of an app has one, but it is a host.
  private static func isIPv6(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") else { return false }
    let address = name.dropFirst().dropLast()
    return address.count { $0 == UInt8(ascii: ":") } >= 2
      && address.allSatisfy { "0123456789abcdefABCDEF:.".utf8.contains($0) }
  }

  /// `app://books/7`, `app:///books/7` and `app:/books/7` name the same.
  private mutating func takeOwnPath(_ rest: ArraySlice<UInt8>) throws(LinkError) {
    var rest = rest
    guard rest.first == UInt8(ascii: "/") else { throw .noSlashes(scheme: scheme) }
    var first: [String] = []
    if rest.dropFirst().first == UInt8(ascii: "/") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let name = rest[..<end]
      rest = rest[end...]
      if name.contains(UInt8(ascii: "@")) { throw .notForLinks(part: "user or password") }
      if name.contains(UInt8(ascii: ":")) { throw .notForLinks(part: "port") }
      if !name.isEmpty { first = [try LinkAddress.decoded(name, part: "part 1 of the path")] }
    }
    try takePath(rest, after: first)
  }

  private mutating func takePath(
    _ path: ArraySlice<UInt8>, after first: [String] = []
  ) throws(LinkError) {
    guard !path.isEmpty else {
      parts = first
      return
    }
    let pieces = path.dropFirst().split(omittingEmptySubsequences: false, whereSeparator: isSlash)
    var kept: [ArraySlice<UInt8>] = []
    for (index, piece) in pieces.enumerated() {
      let isLast = index == pieces.count - 1
      switch LinkAddress.dots(piece) {
      case 1: if isLast { kept.append([]) }
      case 2:
        _ = kept.popLast()
        if isLast { kept.append([]) }
      default: kept.append(piece)
      }
    }
    // The slash at the end.
    if kept.last?.isEmpty ?? false { kept.removeLast() }
    parts = first
    for piece in kept {
      guard !piece.isEmpty else { throw .emptyPart(parts.count + 1) }
      parts.append(
        try LinkAddress.decoded(piece, part: "part \(parts.count + 1) of the path"))
    }
  }

  private func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || (isWeb && byte == UInt8(ascii: "\\"))
  }

  private func isHostCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7F: false
    default: !"#/:<>?@[\\]^|%".utf8.contains(byte)
    }
  }

  static func decoded(_ bytes: some Collection<UInt8>, part: String) throws(LinkError) -> String {
    guard let text = PercentCoding.decode(bytes) else { throw .notUTF8(part: part) }
    return text
  }

  /// One for ".", two for "..", also where the dots are encoded; else none.
  private static func dots(_ piece: ArraySlice<UInt8>) -> Int {
    guard piece.count <= 6, let text = PercentCoding.decode(piece) else { return 0 }
    return text == "." ? 1 : text == ".." ? 2 : 0
  }

  /// Without control characters and spaces at the ends, and without tabs and line ends.
  private static func trimmed(_ text: String) -> ArraySlice<UInt8> {
    var bytes = Array(text.utf8).drop { $0 <= 0x20 }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    bytes.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    return bytes
  }

  static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy {
      isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
    String(
      decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}
