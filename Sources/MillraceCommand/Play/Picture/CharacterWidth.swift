// How a character stands in a terminal: in one cell or two, and as what. Terminals do not agree
// about joined emoji and joiners, so a character is drawn as its first part with its accents.

/// What is drawn of a character.
package struct DrawnCharacter: Equatable, Sendable {
  package var text: String
  /// Cells, 1 or 2.
  package var width: Int
}

extension Character {
  /// What is drawn: one part, or several where marks take a cell of their own. Control characters
  /// and what has no form are drawn as a dot.
  package var drawn: [DrawnCharacter] {
    if let ascii = asciiValue {
      return [DrawnCharacter(text: ascii < 0x20 || ascii == 0x7F ? "·" : String(self), width: 1)]
    }
    if isWhitespace { return [DrawnCharacter(text: isNewline ? "·" : " ", width: 1)] }
    var parts: [DrawnCharacter] = []
    var marks = 0
    for scalar in unicodeScalars {
      if scalar == "\u{200D}", !parts.isEmpty { break }
      switch scalar.cell {
      case .none: continue
      case .mark:
        guard !parts.isEmpty, marks < 3 else { continue }
        marks += 1
        parts[parts.count - 1].text.unicodeScalars.append(scalar)
      case .modifier where !parts.isEmpty: continue
      case .flag where parts.count == 1 && parts[0].text.unicodeScalars.first?.cell == .flag:
        parts[0].text.unicodeScalars.append(scalar)
      case .flag, .modifier, .wide: parts.append(DrawnCharacter(text: String(scalar), width: 2))
      case .narrow: parts.append(DrawnCharacter(text: String(scalar), width: 1))
      }
    }
    return parts.isEmpty ? [DrawnCharacter(text: "·", width: 1)] : parts
  }
}

extension StringProtocol {
  /// What is drawn of the text: nothing in it moves a terminal's cursor.
  package var drawn: String { String(lazy.flatMap(\.drawn).map(\.text).joined()) }

  /// The text in no more than so many cells; a mark says that there is more of it.
  func cut(to width: Int) -> String {
    if width > 0, isPrintableASCII, utf8.count <= width { return String(self) }
    var taken = 0
    var room: Index?
    for index in indices {
      let cells = self[index].drawn.reduce(0) { $0 + $1.width }
      if room == nil, taken + cells > width - 1 { room = index }
      taken += cells
      if taken > width { return width < 1 ? "" : self[..<(room ?? index)] + "…" }
    }
    return String(self)
  }

  /// Cells that the text takes.
  package var cells: Int {
    isPrintableASCII ? utf8.count : reduce(0) { $0 + $1.drawn.reduce(0) { $0 + $1.width } }
  }

  /// A character, a byte and a cell are the same in it.
  private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

extension Unicode.Scalar {
  fileprivate enum Cell { case none, mark, modifier, flag, narrow, wide }

  fileprivate var cell: Cell {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      return .none
    case .nonspacingMark, .enclosingMark:
      // A variation selector asks for another width, and is not heard everywhere.
      return properties.isVariationSelector ? .none : .mark
    default: break
    }
    switch value {
    // Vowels and final consonants of Hangul stand in the cell of the first.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return .mark
    case 0x1F3FB...0x1F3FF: return .modifier
    case 0x1F1E6...0x1F1FF: return .flag
    default: return isWide ? .wide : .narrow
    }
  }

  /// East Asian Width W or F (Unicode Standard Annex 11), with the gaps of blocks filled.
  private var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0, 0x23F3,
      0x25FD...0x25FE, 0x2614...0x2615, 0x2630...0x2637, 0x2648...0x2653, 0x267F, 0x268A...0x268F,
      0x2693, 0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE, 0x26D4, 0x26EA,
      0x26F2...0x26F3, 0x26F5, 0x26FA, 0x26FD, 0x2705, 0x270A...0x270B, 0x2728, 0x274C, 0x274E,
      0x2753...0x2755, 0x2757, 0x2795...0x2797, 0x27B0, 0x27BF, 0x2B1B...0x2B1C, 0x2B50, 0x2B55,
      0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376, 0x1F004, 0x1F0CF,
      0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
      0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4,
      0x1F3F8...0x1F43E, 0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E,
      0x1F550...0x1F567, 0x1F57A, 0x1F595...0x1F596, 0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
      0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6EC,
      0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
      0x1F947...0x1F9FF, 0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
