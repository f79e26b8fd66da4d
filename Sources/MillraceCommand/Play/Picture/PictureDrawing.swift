// Draws a picture on a grid of any size: what does not fit is left out.

import Millrace

extension Picture {
  /// From this width on the pane stands beside the screen.
  package static let widthForPane = 80

  /// The picture in so many columns and rows.
  package func drawn(width: Int, height: Int) -> Grid {
    var grid = Grid(width: width, height: height)
    let all = grid.area
    let body = all.inset(top: 1, bottom: 1)
    drawHeader(on: &grid)
    drawFooter(on: &grid)
    if let help {
      draw(help, title: "Keys", in: body, on: &grid)
    } else if let pane, pane.isAlone {
      draw(pane, in: body, on: &grid)
    } else if let pane, all.width >= Self.widthForPane {
      let width = max(34, all.width * 2 / 5)
      drawLayers(in: body.inset(right: width), on: &grid)
      draw(pane, in: body.inset(left: all.width - width), on: &grid)
    } else {
      drawLayers(in: body, on: &grid)
    }
    return grid
  }

  // MARK: - Edges

  private func drawHeader(on grid: inout Grid) {
    let row = grid.area.inset(bottom: grid.height - 1)
    grid.fill(row, " ", .bar)
    var column = 1
    for (index, title) in windows.enumerated() {
      let label = index == front ? "[\(title)]" : " \(title) "
      column = grid.put(label, column: column, row: 0, in: row, .bar) + 1
    }
    let start = grid.width - account.cells - 1
    if start > column { grid.put(account, column: start, row: 0, in: row, .bar) }
  }

  private func drawFooter(on grid: inout Grid) {
    guard grid.height > 1 else { return }
    let row = grid.area.inset(top: grid.height - 1)
    grid.fill(row, " ", .bar)
    grid.put(message, column: 1, row: row.row, in: row, .bar)
  }

  private func draw(_ lines: [String], title: String, in area: Area, on grid: inout Grid) {
    grid.frame(area, .dim)
    grid.put(" \(title) ", column: area.column + 2, row: area.row, in: area, .bold)
    let inner = area.inset(left: 2, top: 1, right: 2, bottom: 1)
    for (index, line) in lines.enumerated() {
      grid.put(line, column: inner.column, row: inner.row + index, in: inner)
    }
  }

  private func draw(_ pane: Pane, in area: Area, on grid: inout Grid) {
    // The newest refusals have a third of it, when there are any.
    let wanted = pane.refusals.isEmpty ? 0 : min(pane.refusals.count + 2, area.height / 3)
    draw(pane.tree, title: "Live tree", in: area.inset(bottom: wanted), on: &grid)
    guard wanted > 2 else { return }
    let newest = Array(pane.refusals.suffix(wanted - 2))
    draw(newest, title: "Refused", in: area.inset(top: area.height - wanted), on: &grid)
  }

  // MARK: - Layers

  private func drawLayers(in area: Area, on grid: inout Grid) {
    var depth = 0
    for (index, layer) in layers.enumerated() {
      let place: Area
      if index == 0 || layer.presentation == .cover {
        place = area
      } else if layer.presentation.isQuestion {
        grid.restyle(area, .dim)
        place = placeOfQuestion(layer.screen, in: area)
      } else {
        depth += 1
        grid.restyle(area, .dim)
        place = placeOfSheet(depth, in: area)
      }
      draw(layer, in: place, isModal: index > 0, on: &grid)
    }
  }

  /// Each sheet leaves a row, and a column at each side, of the one under it to be seen.
  private func placeOfSheet(_ depth: Int, in area: Area) -> Area {
    let aside = min(2 * depth, max(0, (area.width - 24) / 2))
    let above = min(2 * depth, max(0, area.height - 8))
    return area.inset(left: aside, top: above, right: aside)
  }

  private func placeOfQuestion(_ screen: Screen, in area: Area) -> Area {
    let width = min(max(area.width - 4, 1), 46)
    let inner = max(1, width - 4)
    let count = screen.items.reduce(0) { $0 + lines(of: $1, width: inner).count }
    let height = min(area.height, count + 4)
    return Area(
      column: area.column + (area.width - width) / 2, row: area.row + (area.height - height) / 2,
      width: width, height: height)
  }

  private func draw(_ layer: Layer, in area: Area, isModal: Bool, on grid: inout Grid) {
    let under = grid
    if isModal { grid.frame(area) } else { grid.fill(area) }
    let inner = isModal ? area.inset(left: 1, top: 1, right: 1, bottom: 1) : area
    let tabs = layer.tabs.isEmpty ? 0 : min(2, max(0, inner.height - 4))
    let place = inner.inset(bottom: tabs)
    switch layer.gesture {
    case nil: draw(layer.screen, in: place, on: &grid)
    case .uncovers(let lower)?:
      draw(lower, in: place, on: &grid)
      grid.restyle(place, .dim)
      drawAside(layer.screen, in: place, from: max(1, place.width / 3), on: &grid)
    case .brings(let next)?:
      draw(layer.screen, in: place, on: &grid)
      grid.restyle(place, .dim)
      drawAside(next, in: place, from: max(1, place.width * 2 / 3), on: &grid)
    case .lowers?:
      grid = under
      let lowered = area.inset(top: max(1, area.height / 3))
      grid.frame(lowered)
      draw(layer.screen, in: lowered.inset(left: 1, top: 1, right: 1, bottom: 1), on: &grid)
    }
    if tabs > 0 { drawTabs(of: layer, in: inner.inset(top: inner.height - tabs), on: &grid) }
  }

  /// Draws a screen that a finger has moved: it begins at a column, and is cut at the edge.
  private func drawAside(_ screen: Screen, in area: Area, from column: Int, on grid: inout Grid) {
    let place = area.inset(left: column)
    grid.fill(place)
    for row in place.row..<(place.row + place.height) {
      grid.put("▏", column: place.column, row: row, in: place)
    }
    draw(screen, in: place.inset(left: 1), on: &grid)
  }

  private func drawTabs(of layer: Layer, in area: Area, on grid: inout Grid) {
    grid.fill(area)
    let line = area.inset(bottom: area.height - 1)
    if area.height > 1 { grid.fill(line, "─", .dim) }
    let row = area.row + area.height - 1
    var column = area.column + 1
    for (index, title) in layer.tabs.enumerated() {
      let style = index == layer.selectedTab ? CellStyle.selected : .plain
      column = grid.put(" \(title) ", column: column, row: row, in: area, style) + 1
    }
  }
}
