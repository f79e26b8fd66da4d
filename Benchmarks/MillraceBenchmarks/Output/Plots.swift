// The plots of the report, as SVG with a title that says what can be seen.

import Foundation

/// Where values come to lie on a line of pixels.
private struct Axis {
  let low: Double
  let high: Double
  let start: Double
  let end: Double

  func place(_ value: Double) -> Double {
    guard high > low else { return (start + end) / 2 }
    return start + (value - low) / (high - low) * (end - start)
  }
}

private func point(_ value: Double) -> String { fixed(value, 1) }

private func svg(_ width: Double, _ height: Double, _ title: String, _ parts: [String]) -> String {
  """
  <svg role="img" width="\(point(width))" height="\(point(height))" \
  viewBox="0 0 \(point(width)) \(point(height))"><title>\(escaped(title))</title>
  \(parts.joined(separator: "\n"))</svg>
  """
}

private func label(
  _ x: Double, _ y: Double, _ text: String, anchor: String = "start", soft: Bool = false
) -> String {
  """
  <text x="\(point(x))" y="\(point(y))" text-anchor="\(anchor)"\(soft ? " class=\"soft\"" : "")>\
  \(escaped(text))</text>
  """
}

private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) -> String
{
  """
  <line x1="\(point(x1))" y1="\(point(y1))" x2="\(point(x2))" y2="\(point(y2))" class="\(style)"/>
  """
}

/// A bar for each case: its ratio to the hand-written twin, on a log axis, with the bar it must not
/// pass.
struct RatioPlot {
  let cases: [CaseResult]

  var svg: String {
    let row = 22.0
    let left = 290.0
    let height = row * Double(cases.count) + 40
    let all = cases.compactMap(\.ratio) + cases.filter { $0.barKind == "ratio" }.map(\.bar) + [1]
    let axis = Axis(
      low: log((all.min() ?? 1) * 0.7), high: log((all.max() ?? 1) * 1.2), start: left, end: 900)
    var parts: [String] = []
    for mark in [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
    where log(mark) >= axis.low && log(mark) <= axis.high {
      let x = axis.place(log(mark))
      parts.append(line(x, 4, x, height - 28, "axis"))
      parts.append(label(x, height - 10, "\(fixed(mark, mark < 1 ? 2 : 0)) ×", anchor: "middle"))
    }
    for (number, item) in cases.enumerated() {
      guard let ratio = item.ratio else { continue }
      let y = row * Double(number) + 4
      let zero = axis.place(0)
      let x = axis.place(log(ratio))
      parts.append(label(left - 8, y + 14, item.name, anchor: "end"))
      parts.append(
        """
        <rect class="oursFill" x="\(point(min(zero, x)))" y="\(point(y + 4))" \
        width="\(point(max(abs(x - zero), 1)))" height="\(point(row - 8))"/>
        """)
      parts.append(
        ratio < 1
          ? label(x - 5, y + 15, fixed(ratio, 2), anchor: "end")
          : label(x + 5, y + 15, fixed(ratio, 2)))
      if item.barKind == "ratio" {
        let x = axis.place(log(item.bar))
        parts.append(line(x, y + 1, x, y + row - 1, "limit"))
      }
    }
    return MillraceBenchmarks.svg(
      940, height, "Ratio to hand-written code for each case; a line marks the bar", parts)
  }
}

/// A dot for each run of each side, with the median as a line.
struct DistributionPlot {
  let item: CaseResult

  var svg: String {
    let ours = item.millrace.nanoseconds
    let hand = item.hand.nanoseconds
    let all = (ours + hand).sorted()
    // What a busy machine makes of a few runs would press all others together.
    let high = min(all.last ?? 1, quantile(all, 0.9) * 1.5)
    let axis = Axis(low: (all.first ?? 0) * 0.95, high: high, start: 70, end: 470)
    var parts = [line(70, 110, 470, 110, "axis")]
    for step in 0...4 {
      let value = axis.low + (axis.high - axis.low) * Double(step) / 4
      parts.append(
        label(
          axis.place(value), 128, fixed(value, value < 100 ? 1 : 0), anchor: "middle", soft: true))
    }
    parts.append(label(470, 145, "ns per \(item.unit)", anchor: "end", soft: true))
    for (name, values, middle, style) in [
      ("Millrace", ours, 35.0, "ours"), ("by hand", hand, 80.0, "hand"),
    ] {
      parts.append(label(62, middle + 4, name, anchor: "end"))
      for (number, value) in values.enumerated() {
        let x = axis.place(min(value, high))
        let y = middle + Double((number * 7) % 23) - 11
        parts.append(
          """
          <circle class="\(style)Fill" cx="\(point(x))" cy="\(point(y))" r="2.5" opacity=".55"/>
          """)
      }
      let x = axis.place(min(median(values), high))
      parts.append(line(x, middle - 17, x, middle + 17, style + "Line"))
    }
    return MillraceBenchmarks.svg(
      490, 150,
      "Median \(fixed(median(ours), 1)) ns by Millrace, \(fixed(median(hand), 1)) ns by hand", parts
    )
  }
}

/// Time per run over units per run, both on log axes: a line of slope 1 is linear work.
struct GrowthPlot {
  let item: CaseResult

  init?(item: CaseResult) {
    guard item.millrace.growth.count > 1 else { return nil }
    self.item = item
  }

  var svg: String {
    let sides = [
      ("Millrace", item.millrace, "ours"), ("by hand", item.hand, "hand"),
    ]
    let points = sides.flatMap(\.1.growth)
    let counts = points.map { log10(Double($0.count)) }
    let times = points.map { log10($0.nanoseconds * Double($0.count)) }
    let x = Axis(low: counts.min() ?? 0, high: counts.max() ?? 1, start: 70, end: 400)
    let y = Axis(
      low: (times.min() ?? 0).rounded(.down), high: (times.max() ?? 1).rounded(.up), start: 170,
      end: 20)
    var parts: [String] = []
    for power in Int(y.low)...Int(y.high) {
      let height = y.place(Double(power))
      parts.append(line(70, height, 400, height, "axis"))
      parts.append(label(62, height + 4, Self.time(power), anchor: "end", soft: true))
    }
    for power in Int(x.low.rounded(.up))...max(Int(x.low.rounded(.up)), Int(x.high)) {
      let place = x.place(Double(power))
      parts.append(line(place, 20, place, 170, "axis"))
      parts.append(
        label(place, 188, fixed(pow(10, Double(power)), 0), anchor: "middle", soft: true))
    }
    parts.append(label(400, 205, "\(item.unit)s a run", anchor: "end", soft: true))
    for (number, (name, side, style)) in sides.enumerated() {
      let places = side.growth.map { point in
        (
          x.place(log10(Double(point.count))),
          y.place(log10(point.nanoseconds * Double(point.count)))
        )
      }
      let path = places.map { "\(point($0.0)),\(point($0.1))" }.joined(separator: " ")
      parts.append("<polyline class=\"\(style)Line\" points=\"\(path)\"/>")
      parts.append(
        label(80, 34 + 16 * Double(number), "\(name): exponent \(fixed(side.exponent, 2))"))
    }
    return MillraceBenchmarks.svg(
      420, 212,
      "Growth of time with the number of \(item.unit)s: exponent "
        + "\(fixed(item.millrace.exponent, 2)) by Millrace, \(fixed(item.hand.exponent, 2)) by hand",
      parts)
  }

  private static func time(_ power: Int) -> String {
    let units = ["ns", "µs", "ms", "s"]
    let unit = min(max(power, 0) / 3, units.count - 1)
    return fixed(pow(10, Double(power - 3 * unit)), 0) + " " + units[unit]
  }
}
