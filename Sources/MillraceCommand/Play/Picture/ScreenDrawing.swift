// Draws one screen: its path, and as many of its lines as there is room for, around the cursor.

extension Picture {
  /// A line of a screen.
  struct Line: Equatable {
    var text: String
    /// At the right edge, where there is room.
    var detail = ""
    var style = CellStyle.plain
  }

  /// The lines of one item.
  func lines(of item: PageText, width: Int) -> [Line] {
    switch item.role {
    case .text: return wrapped(item.name, cells: width).map { Line(text: $0) }
    case .notice:
      return wrapped("! " + item.name, cells: width).map { Line(text: $0, style: .notice) }
    case .row: return [Line(text: "  " + item.name, detail: item.detail)]
    case .button:
      return [Line(text: "[ \(item.name) ]", style: item.isActive ? .bold : .dim)]
    case .field(let value, let isSecret):
      let shown = isSecret ? String(repeating: "•", count: value.count) : value
      // The end of it is what is being typed.
      let room = max(1, width - item.name.cells - 4)
      var tail = shown[...]
      while tail.cells > room { tail = tail.dropFirst() }
      return [Line(text: "\(item.name): \(tail)_")]
    }
  }

  func draw(_ screen: Screen, in area: Area, on grid: inout Grid) {
    guard area.width > 2, area.height > 0 else { return }
    let inner = area.inset(left: 1, right: 1)
    drawPath(screen.path, in: inner, on: &grid)
    let place = inner.inset(top: 2)
    guard place.height > 0 else { return }
    var lines: [Line] = []
    var under = 0..<0
    for (index, item) in screen.items.enumerated() {
      let more = self.lines(of: item, width: place.width)
      if index == screen.cursor { under = lines.count..<(lines.count + more.count) }
      lines += more
    }
    let first = max(0, min(under.lowerBound - place.height / 2, lines.count - place.height))
    for (offset, line) in lines.dropFirst(first).prefix(place.height).enumerated() {
      let row = Area(column: place.column, row: place.row + offset, width: place.width, height: 1)
      draw(line, in: row, isSelected: under.contains(first + offset), on: &grid)
    }
    drawScroll(first, of: lines.count, in: area.inset(top: 2), on: &grid)
  }

  /// The end of the path is what matters where not all of it fits.
  private func drawPath(_ path: [String], in area: Area, on grid: inout Grid) {
    guard let title = path.last else { return }
    var text = title
    for lower in path.dropLast().reversed() {
      let longer = "\(lower) › \(text)"
      if longer.cells > area.width {
        text = "… › " + text
        break
      }
      text = longer
    }
    if text.cells > area.width { text = title }
    grid.put(text.cut(to: area.width), column: area.column, row: area.row, in: area, .bold)
    if area.height > 1 { grid.fill(area.inset(top: 1, bottom: area.height - 2), "─", .dim) }
  }

  private func draw(_ line: Line, in row: Area, isSelected: Bool, on grid: inout Grid) {
    let style = isSelected ? CellStyle.selected : line.style
    if isSelected { grid.fill(row, " ", style) }
    // A short detail is worth more than the end of a long name.
    let detail = line.detail.cells
    let room = detail > 0 && detail <= row.width / 3 ? row.width - detail - 2 : row.width
    let name = line.text.cut(to: room)
    let end = grid.put(name, column: row.column, row: row.row, in: row, style)
    let start = row.column + row.width - detail
    if detail > 0, start >= end + 2 {
      let style = isSelected ? CellStyle.selected : .dim
      grid.put(line.detail, column: start, row: row.row, in: row, style)
    }
  }

  /// A mark at the edge says that there is more.
  private func drawScroll(_ first: Int, of count: Int, in area: Area, on grid: inout Grid) {
    guard area.height > 0 else { return }
    let column = area.column + area.width - 1
    if first > 0 { grid.put("▲", column: column, row: area.row, in: area, .dim) }
    if first + area.height < count {
      grid.put("▼", column: column, row: area.row + area.height - 1, in: area, .dim)
    }
  }
}
