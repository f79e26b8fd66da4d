// How characters stand in cells.

import MillraceCommand
import Testing

@Suite struct CharacterWidthTests {
  // Prevents: a title that moves the cursor, or a wide character that is counted as a narrow one.
  @Test(arguments: [
    ("a", "a", 1), ("é", "é", 1), ("e\u{301}", "e\u{301}", 1), ("日", "日", 2), ("한", "한", 2),
    ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}", 2), ("ｱ", "ｱ", 1), ("Ａ", "Ａ", 2),
    ("🎉", "🎉", 2), ("👩‍👩‍👧", "👩", 2), ("👍🏽", "👍", 2), ("🇩🇪", "🇩🇪", 2), ("❤️", "❤", 1),
    ("\u{1B}", "·", 1), ("\u{7}", "·", 1), ("\u{7F}", "·", 1), ("\u{9B}", "·", 1),
    ("\r\n", "·", 1), ("\t", "·", 1), ("\u{202E}", "·", 1), ("\u{200B}", "·", 1),
    ("\u{A0}", " ", 1), ("\u{301}", "·", 1), ("\u{E000}", "·", 1),
  ]) func character_isDrawnAs(text: String, drawn: String, cells: Int) {
    #expect(text.drawn == drawn)
    #expect(text.cells == cells)
  }

  // Prevents: a pile of accents that grows over the rows above.
  @Test func accents_areFewOnOneCharacter() {
    let pile = "z" + String(repeating: "\u{30D}", count: 50)
    #expect(pile.drawn.unicodeScalars.count == 4)
    #expect(pile.cells == 1)
  }

  // Prevents: an escape sequence in any of the characters there are.
  @Test func noScalar_isDrawnAsAControl() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let drawn = Character(scalar).drawn
      let isPlain = drawn.first?.text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
      }
      guard drawn.count == 1, (1...2).contains(drawn[0].width), isPlain == true else {
        Issue.record("U+\(String(value, radix: 16)) is drawn as \(drawn)")
        return
      }
    }
  }
}
