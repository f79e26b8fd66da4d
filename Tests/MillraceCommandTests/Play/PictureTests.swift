// Pictures as text: drawing is a function of a value and a size.

import Millrace
import MillraceCommand
import Testing

@Suite struct PictureTests {
  private func books(_ count: Int) -> [PageText] {
    (1...count).map { PageText(.row, "Book \($0)", detail: "author \($0)", isActive: true) }
  }

  private func drawn(_ picture: Picture, _ width: Int, _ height: Int) -> String {
    "\n" + picture.drawn(width: width, height: height).text + "\n"
  }

  private let signIn = Picture(
    windows: ["1 Sign in"],
    layers: [
      Picture.Layer(
        .root,
        Picture.Screen(
          path: ["Sign in"],
          items: [
            PageText(.text, "Welcome to the library."),
            PageText(.notice, "This card is not known."),
            PageText(.field("L-1", isSecret: false), "Card", isActive: true),
            PageText(.field("1815", isSecret: true), "PIN", isActive: true),
            PageText(.button, "Sign in", isActive: true),
          ], cursor: 2))
    ], message: "? keys")

  // Prevents: a secret that is shown, a screen whose parts lie over each other.
  @Test func screen_isDrawn() {
    #expect(
      drawn(signIn, 34, 10) == """

         [1 Sign in]
         Sign in
         ────────────────────────────────
         Welcome to the library.
         ! This card is not known.
         Card: L-1_
         PIN: ••••_
         [ Sign in ]

         ? keys

        """)
  }

  // Prevents: sheets that hide what they are over, an alert that has the whole window, tabs that are
  // drawn over the list.
  @Test func layers_lieOverEachOther() {
    let list = Picture.Screen(path: ["Catalogue"], items: books(9))
    let picture = Picture(
      windows: ["1 Catalogue", "2 Sign in"], account: "Ada",
      layers: [
        Picture.Layer(.root, list, tabs: ["Catalogue", "Account"], selectedTab: 0),
        Picture.Layer(.sheet, Picture.Screen(path: ["Choose"], items: books(2), cursor: 0)),
        Picture.Layer(
          .alert,
          Picture.Screen(path: ["Lend it?"], items: [PageText(.button, "Yes", isActive: true)])),
      ])
    #expect(
      drawn(picture, 60, 14) == """

         [1 Catalogue]  2 Sign in                               Ada
         Catalogue
         ──────────────────────────────────────────────────────────
          ┌──────────────────────────────────────────────────────┐1
          │ Cho┌────────────────────────────────────────────┐    │2
          │ ───│ Lend it?                                   │─── │3
          │   B│ ────────────────────────────────────────── │r 1 │4
          │   B│ [ Yes ]                                    │r 2 │5
          │    └────────────────────────────────────────────┘    │6
          │                                                      │7
          │                                                      │8▼
        ──│                                                      │──
          └──────────────────────────────────────────────────────┘


        """)
  }

  // Prevents: a gesture that looks as if it were over already.
  @Test func gesture_showsBothScreens() {
    let lower = Picture.Screen(path: ["Catalogue"], items: books(2))
    let upper = Picture.Screen(path: ["Catalogue", "Emma"], items: [PageText(.text, "Austen")])
    let picture = Picture(layers: [Picture.Layer(.root, upper, gesture: .uncovers(lower))])
    #expect(
      drawn(picture, 36, 6) == """

         [Library]
         Catalogue  ▏ Catalogue › Emma
         ───────────▏ ─────────────────────
           Book 1   ▏ Austen
           Book 2   ▏


        """)
  }

  // Prevents: a list that is drawn over the frame of the sheet that a finger draws down.
  @Test func loweredSheet_keepsItsFrame() {
    let list = Picture.Screen(path: ["Catalogue"], items: books(9), cursor: 0)
    let picture = Picture(layers: [
      Picture.Layer(.root, Picture.Screen(path: ["Home"], items: [])),
      Picture.Layer(.sheet, list, gesture: .lowers),
    ])
    let lines = drawn(picture, 34, 14).split(separator: "\n")
    let bottom = lines.filter { $0.contains("└") }
    #expect(bottom.count == 1 && bottom.allSatisfy { $0.contains("────┘") }, "\(lines)")
  }

  // Prevents: a cursor that leaves the picture in a long list.
  @Test(arguments: [0, 1, 7, 500, 998, 999]) func cursor_isAlwaysInSight(cursor: Int) {
    let screen = Picture.Screen(path: ["Catalogue"], items: books(1_000), cursor: cursor)
    let grid = Picture(layers: [Picture.Layer(.root, screen)]).drawn(width: 40, height: 10)
    let selected = grid.rows.filter { row in row.contains { $0.style == .selected } }
    #expect(selected.count == 1)
    let line = selected.first?.map(\.text).joined() ?? ""
    #expect(line.contains("Book \(cursor + 1) "))
  }

  // Prevents: a long title that hides whether the book is chosen.
  @Test func shortDetail_isKept() {
    let title = String(repeating: "very ", count: 20) + "long"
    let items = [
      PageText(.row, title, detail: "chosen", isActive: true),
      PageText(.row, "Emma", detail: title, isActive: true),
    ]
    let screen = Picture.Screen(path: ["Choose"], items: items)
    #expect(
      drawn(Picture(layers: [Picture.Layer(.root, screen)]), 36, 6) == """

         [Library]
         Choose
         ──────────────────────────────────
           very very very very ver…  chosen
           Emma


        """)
  }

  // Prevents: half a wide character at an edge, a detail over a name, text that runs out of its box.
  @Test func wideCharacters_keepTheirColumns() {
    let items = [PageText(.row, "日本語の本", detail: "夏目漱石", isActive: true)]
    let screen = Picture.Screen(path: ["図書館"], items: items)
    let picture = Picture(layers: [Picture.Layer(.sheet, screen)])
    for width in 8...40 {
      let grid = picture.drawn(width: width, height: 8)
      for row in grid.rows {
        let cells = row.reduce(0) { $0 + $1.text.cells }
        #expect(cells == width, "\(row.map(\.text).joined())")
      }
    }
  }

  // Prevents: a window that is too small for a frame, or for anything, and traps.
  @Test func everySize_canBeDrawn() {
    var picture = signIn
    let long = Picture.Screen(
      path: ["日", String(repeating: "long ", count: 40)],
      items: books(3) + [PageText(.text, String(repeating: "x", count: 300))], cursor: 1)
    picture.layers += [
      Picture.Layer(.cover, long, tabs: ["a", "b"], selectedTab: 1, gesture: .uncovers(long)),
      Picture.Layer(.sheet, long, gesture: .lowers), Picture.Layer(.sheet, long),
      Picture.Layer(.push, long, gesture: .brings(long)), Picture.Layer(.confirmation, long),
    ]
    let panes = [
      nil, Picture.Pane(tree: ["runtime"], refusals: ["a", "b"]),
      Picture.Pane(tree: ["runtime"], refusals: [], isAlone: true),
    ]
    for width in Array(-1...9) + [20, 40, 79, 80, 200] {
      for height in Array(-1...8) + [12, 50] {
        for pane in panes {
          picture.pane = pane
          let grid = picture.drawn(width: width, height: height)
          #expect(grid.rows.count == max(0, height))
          #expect(grid.rows.allSatisfy { $0.count == max(0, width) })
        }
      }
    }
  }
}
