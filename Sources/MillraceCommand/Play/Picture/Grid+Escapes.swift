// A grid as what is written to a terminal (ECMA-48): places, colours, text.

extension Grid {
  /// What turns the older frame into this one. After a character that terminals may give another
  /// width the place is said anew, so that one of them shifts nothing else.
  package func escapes(since old: Grid?, hasColour: Bool) -> String {
    let old = old.flatMap { $0.width == width && $0.height == height ? $0 : nil }
    var out = old == nil ? "\u{1B}[0m\u{1B}[2J" : ""
    for (number, row) in rows.enumerated() where old?.rows[number] != row {
      out += "\u{1B}[\(number + 1);1H"
      var style: CellStyle?
      for (column, cell) in row.enumerated() {
        // What stands in the last cell of a terminal may scroll it.
        if number == height - 1, column == width - 1 { break }
        if cell.text.isEmpty { continue }
        if cell.style != style {
          style = cell.style
          out += cell.style.escape(hasColour: hasColour)
        }
        out += cell.text
        if !cell.text.isPlain {
          out += "\u{1B}[\(number + 1);\(column + 1 + cell.width(in: row, column))H"
        }
      }
      out += "\u{1B}[0m"
    }
    return out
  }
}

extension Cell {
  /// 2 if the next cell of its row belongs to it.
  fileprivate func width(in row: [Cell], _ column: Int) -> Int {
    column + 1 < row.count && row[column + 1].text.isEmpty ? 2 : 1
  }
}

extension String {
  /// One scalar of a script whose width is the same everywhere.
  fileprivate var isPlain: Bool {
    unicodeScalars.count == 1 && unicodeScalars.allSatisfy { $0.value < 0x300 || isLine($0) }
  }

  private func isLine(_ scalar: Unicode.Scalar) -> Bool { (0x2500...0x259F).contains(scalar.value) }
}

extension CellStyle {
  fileprivate func escape(hasColour: Bool) -> String {
    switch self {
    case .plain: "\u{1B}[0m"
    case .bold: "\u{1B}[0;1m"
    case .dim: "\u{1B}[0;2m"
    case .selected: "\u{1B}[0;7m"
    case .notice: hasColour ? "\u{1B}[0;31m" : "\u{1B}[0;1m"
    case .bar: hasColour ? "\u{1B}[0;30;46m" : "\u{1B}[0;7m"
    }
  }
}
