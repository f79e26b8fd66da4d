// Keys: what the bytes of a terminal are, and what the keys mean.

import Millrace
import MillraceCommand
import Testing

@Suite struct KeyTests {
  private func keys(_ bytes: [UInt8], parts: Int = .max) -> [Key] {
    var reader = KeyReader()
    var keys: [Key] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      keys += reader.read(rest.prefix(parts))
      rest = rest.dropFirst(parts)
    }
    return keys + (reader.isWaiting ? reader.giveUp() : [])
  }

  static let table: [(String, [Key])] = [
    ("aZ?", [.character("a"), .character("Z"), .character("?")]),
    ("\r\n\t\u{7F}\u{8}", [.enter, .enter, .tab, .backspace, .backspace]),
    ("\u{3}\u{7}\u{1A}", [.control("c"), .control("g"), .control("z")]),
    ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
    ("\u{1B}[5~\u{1B}[6~\u{1B}[1~\u{1B}[4~", [.pageUp, .pageDown, .home, .end]),
    ("\u{1B}[H\u{1B}[F\u{1B}[Z", [.home, .end, .backTab]),
    ("\u{1B}OP\u{1B}[11~\u{1B}[[A\u{1B}[[Bx", [.help, .help, .help, .other, .character("x")]),
    ("\u{1B}[1;5A\u{1B}[99~\u{1B}[?1;2c", [.up, .other, .other]),
    ("\u{1B}", [.escape]), ("\u{1B}\u{1B}", [.escape, .escape]),
    ("\u{1B}x", [.escape, .character("x")]), ("\u{1B}[", [.escape, .other]),
    ("é日🎉", [.character("é"), .character("日"), .character("🎉")]),
  ]

  // Prevents: a key that is split between two reads and taken for others.
  @Test(arguments: table, [Int.max, 1, 2]) func bytes_areKeys(row: (String, [Key]), parts: Int) {
    #expect(keys(Array(row.0.utf8), parts: parts) == row.1)
  }

  // Prevents: bytes that are no text and trap, or that stop all keys after them.
  @Test func brokenBytes_areSkipped() {
    #expect(keys([0xFF, 0x61]) == [.other, .character("a")])
    #expect(keys([0xC3, 0x61]) == [.other, .character("a")])
    #expect(keys([0xE6, 0x97]) == [.other])
    let endless = [0x1B, 0x5B] + [UInt8](repeating: 0x30, count: 200) + [0x61]
    #expect(keys(endless, parts: 1).last == .character("a"))
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let bytes = (0..<24).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(keys(bytes, parts: 5).count <= bytes.count + 1, "\(bytes)")
    }
  }
}

@Suite struct DeskTests {
  private let items = [
    PageText(.text, "Hello"), PageText(.field("Ad", isSecret: false), "Name", isActive: true),
    PageText(.button, "Next", isActive: false), PageText(.row, "Emma", isActive: true),
    PageText(.button, "Back", isActive: true),
  ]

  private func sight(gesture: Bool = false) -> Desk.Sight {
    Desk.Sight(
      screen: FlowID(rawValue: 5), items: items, isGesturing: gesture, tabs: ["A", "B", "C"],
      selectedTab: 2, windows: [1, 3], front: 3)
  }

  // Prevents: letters that are shortcuts while they should be text, and text that is not.
  @Test func field_takesLetters() {
    var desk = Desk()
    #expect(desk.cursor(sight()) == 1)
    #expect(desk.press(.character("q"), sight()) == .event(.type("Adq", field: "Name")))
    #expect(desk.press(.backspace, sight()) == .event(.type("A", field: "Name")))
    #expect(desk.press(.control("u"), sight()) == .event(.type("", field: "Name")))
    #expect(desk.press(.control("g"), sight()) == .event(.begin(nil)))
    #expect(desk.press(.control("c"), sight()) == .quit)
    #expect(desk.press(.left, sight()) == .draw)
    #expect(desk.cursor(sight()) == 1)
  }

  // Prevents: a form in which Tab leaves for another tab, and whose help cannot be opened since its
  // key is text.
  @Test func form_isFilledInByKeys() {
    var desk = Desk()
    for key in [Key.tab, .enter] {
      #expect(desk.press(key, sight()) == .draw)
      #expect(desk.cursor(sight()) == 3, "\(key)")
      _ = desk.press(.up, sight())
    }
    #expect(desk.press(.backTab, sight()) == .draw)
    #expect(desk.cursor(sight()) == 4, "before the first is the last")
    _ = desk.press(.home, sight())
    #expect(desk.press(.help, sight()) == .draw)
    #expect(desk.showsHelp)
  }

  // Prevents: a cursor on what cannot be used, or beyond the end.
  @Test func cursor_standsOnWhatCanBeUsed() {
    var desk = Desk()
    #expect(desk.press(.down, sight()) == .draw)
    #expect(desk.cursor(sight()) == 3)
    #expect(desk.press(.enter, sight()) == .event(.choose("Emma")))
    for _ in 0..<9 { _ = desk.press(.character("j"), sight()) }
    #expect(desk.cursor(sight()) == 4)
    for _ in 0..<9 { _ = desk.press(.up, sight()) }
    #expect(desk.cursor(sight()) == 1)
    #expect(desk.cursor(Desk.Sight(screen: nil, items: [])) == nil)
    #expect(desk.press(.down, Desk.Sight(screen: nil, items: [])) == .draw)
  }

  // Prevents: a key that begins a second gesture, or leaves the screen in the middle of one.
  @Test func gesture_isLetGoOrCompleted() {
    var desk = Desk()
    for key in [Key.escape, .left] {
      #expect(desk.press(key, sight(gesture: true)) == .event(.letGo))
    }
    for key in [Key.enter, .right, .character("g")] {
      #expect(desk.press(key, sight(gesture: true)) == .event(.complete))
    }
  }

  // Prevents: a shortcut that does another's work.
  @Test func keys_areEvents() {
    var desk = Desk()
    _ = desk.press(.down, sight())
    let table: [(Key, Desk.Wish)] = [
      (.escape, .event(.back(nil))), (.left, .event(.back(nil))), (.backspace, .event(.back(nil))),
      (.tab, .event(.select(tab: "A"))), (.backTab, .event(.select(tab: "B"))),
      (.character("g"), .event(.begin(nil))), (.character("d"), .event(.swipe(nil))),
      (.character("o"), .event(.signOut)), (.character("l"), .event(.lock)),
      (.character("w"), .event(.openWindow)),
      (.character("x"), .event(.closeWindow)), (.character("n"), .event(.useWindow(1))),
      (.character("q"), .quit), (.control("z"), .suspend), (.other, .draw),
    ]
    for (key, wish) in table { #expect(desk.press(key, sight()) == wish, "\(key)") }
    _ = desk.press(.character("t"), sight())
    #expect(desk.pane == .alone)
    _ = desk.press(.character("?"), sight())
    #expect(desk.showsHelp)
    #expect(desk.press(.character("o"), sight()) == .draw, "the help is closed by any key")
    #expect(!desk.showsHelp)
  }
}
