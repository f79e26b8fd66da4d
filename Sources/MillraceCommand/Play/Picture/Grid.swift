// A grid of cells: what a picture is drawn on. All drawing is clipped, so that no size traps.

/// How a cell looks.
package enum CellStyle: String, Sendable, Equatable {
  case plain, bold, dim, selected, notice, bar
}

/// One cell.
package struct Cell: Sendable, Equatable {
  /// What stands in it; empty for the second cell of a wide character.
  package var text: String
  package var style: CellStyle

  package static let blank = Cell(text: " ", style: .plain)
}

/// A part of a grid: columns and rows from 0. Empty ones are allowed.
package struct Area: Sendable, Equatable {
  package var column: Int
  package var row: Int
  package var width: Int
  package var height: Int

  package init(column: Int = 0, row: Int = 0, width: Int, height: Int) {
    self.column = column
    self.row = row
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// The same without so much at each side.
  func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> Area {
    Area(
      column: column + left, row: row + top, width: width - left - right,
      height: height - top - bottom)
  }

  /// What both have.
  func intersection(_ other: Area) -> Area {
    let left = max(column, other.column)
    let top = max(row, other.row)
    return Area(
      column: left, row: top, width: min(column + width, other.column + other.width) - left,
      height: min(row + height, other.row + other.height) - top)
  }
}

/// Cells in rows.
package struct Grid: Sendable, Equatable {
  package let width: Int
  package let height: Int
  package private(set) var rows: [[Cell]]

  /// A blank grid; sizes below 0 count as 0.
  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
    rows = Array(repeating: Array(repeating: .blank, count: self.width), count: self.height)
  }

  var area: Area { Area(width: width, height: height) }

  /// Writes a text on one row, from a column on, within an area.
  ///
  /// - Returns: the column after it.
  @discardableResult
  mutating func put(
    _ text: some StringProtocol, column: Int, row: Int, in area: Area, _ style: CellStyle = .plain
  ) -> Int {
    let area = area.intersection(self.area)
    var column = column
    for part in text.lazy.flatMap(\.drawn) {
      guard column < area.column + area.width else { break }
      let isInside =
        column >= area.column && column + part.width <= area.column + area.width
        && row >= area.row && row < area.row + area.height
      if isInside { set(part, column, row, style) }
      column += part.width
    }
    return column
  }

  private mutating func set(_ part: DrawnCharacter, _ column: Int, _ row: Int, _ style: CellStyle) {
    clear(column, row)
    rows[row][column] = Cell(text: part.text, style: style)
    guard part.width == 2 else { return }
    clear(column + 1, row)
    rows[row][column + 1] = Cell(text: "", style: style)
  }

  /// Half a wide character does not stay.
  private mutating func clear(_ column: Int, _ row: Int) {
    if rows[row][column].text.isEmpty, column > 0 { rows[row][column - 1].text = " " }
    if column + 1 < width, rows[row][column + 1].text.isEmpty { rows[row][column + 1].text = " " }
    rows[row][column].text = " "
  }

  /// Fills an area with one character of one cell.
  mutating func fill(_ area: Area, _ text: String = " ", _ style: CellStyle = .plain) {
    let area = area.intersection(self.area)
    for row in area.row..<(area.row + area.height) {
      for column in area.column..<(area.column + area.width) {
        set(DrawnCharacter(text: text, width: 1), column, row, style)
      }
    }
  }

  /// Draws what is there in another style.
  mutating func restyle(_ area: Area, _ style: CellStyle) {
    let area = area.intersection(self.area)
    for row in area.row..<(area.row + area.height) {
      for column in area.column..<(area.column + area.width) { rows[row][column].style = style }
    }
  }

  /// Draws a frame along the edge of an area, and clears what is in it.
  mutating func frame(_ area: Area, _ style: CellStyle = .plain) {
    fill(area)
    guard area.width >= 2, area.height >= 2 else { return }
    let (right, bottom) = (area.column + area.width - 1, area.row + area.height - 1)
    let line = String(repeating: "─", count: area.width - 2)
    put("┌" + line + "┐", column: area.column, row: area.row, in: area, style)
    put("└" + line + "┘", column: area.column, row: bottom, in: area, style)
    for row in (area.row + 1)..<max(bottom, area.row + 1) {
      put("│", column: area.column, row: row, in: area, style)
      put("│", column: right, row: row, in: area, style)
    }
  }

  /// The text of it, a line for each row, without blanks at the ends.
  package var text: String {
    rows.map { row in
      let line = row.map(\.text).joined()
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}

/// A text on lines of so many cells, broken at spaces where there are some.
func wrapped(_ text: String, cells width: Int) -> [String] {
  guard width > 0 else { return [] }
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    if !line.isEmpty, line.cells + 1 + word.cells <= width {
      line += " " + word
      continue
    }
    if !line.isEmpty { lines.append(line) }
    line = ""
    for character in word {
      let cells = character.drawn.reduce(0) { $0 + $1.width }
      if !line.isEmpty, line.cells + cells > width {
        lines.append(line)
        line = ""
      }
      line.append(character)
    }
  }
  if !line.isEmpty || lines.isEmpty { lines.append(line) }
  return lines
}
