// The result as a table of text.

import Foundation

enum Table {
  static let header =
    pad("case", 38) + left("millrace", 10) + left("hand", 10) + left("p90", 10) + left("p99", 10)
    + left("ratio", 7) + left("allocs", 14) + left("bytes", 15) + left("growth", 12) + "  bar"

  static func row(_ result: CaseResult) -> String {
    let ours = result.millrace
    let hand = result.hand
    var text = pad(result.name, 38)
    if result.isMemory {
      text += left(fixed(ours.liveBytes, 0), 10) + left(fixed(hand.liveBytes, 0), 10)
      text += left("", 20)
    } else {
      text += left(fixed(ours.median, 1), 10) + left(fixed(hand.median, 1), 10)
      text += left(fixed(quantile(ours.nanoseconds, 0.9), 1), 10)
      text += left(fixed(quantile(ours.nanoseconds, 0.99), 1), 10)
    }
    text += left(fixed(result.ratio, 2), 7)
    text += left(fixed(ours.allocations, 2) + "/" + fixed(hand.allocations, 2), 14)
    text += left(fixed(ours.bytes, 0) + "/" + fixed(hand.bytes, 0), 15)
    text += left(growth(result), 12)
    return text + "  " + bar(result)
  }

  /// Instructions, a line for each case that has them.
  static func instructions(_ result: [CaseResult]) -> String {
    let rows = result.compactMap { item -> String? in
      guard let ours = item.millrace.instructions, let hand = item.hand.instructions else {
        return nil
      }
      return pad(item.name, 38) + left(fixed(ours, 0), 10) + left(fixed(hand, 0), 10)
        + left(fixed(item.instructionRatio, 2), 7)
        + left(item.grows ? fixed(item.millrace.instructionExponent, 3) : "", 9)
    }
    return ([pad("instructions per unit", 38) + "  millrace      hand  ratio   growth"] + rows)
      .joined(separator: "\n")
  }

  static func bar(_ result: CaseResult) -> String {
    let limit =
      switch result.barKind {
      case "ratio": "≤ \(fixed(result.bar, 2)) ×"
      case "nanoseconds": "≤ \(fixed(result.bar, 0)) ns"
      case "added": "≤ +\(fixed(result.bar, 0)) ns"
      case "bytes": "≤ \(fixed(result.bar, 0)) bytes"
      default: "none"
      }
    return limit + (result.holds ?? true ? "" : "  above the bar")
  }

  private static func growth(_ result: CaseResult) -> String {
    guard let ours = result.millrace.exponent, let hand = result.hand.exponent else { return "" }
    return fixed(ours, 2) + "/" + fixed(hand, 2)
  }
}

/// A number with this many digits after the point; a dash for none.
func fixed(_ value: Double?, _ digits: Int) -> String {
  guard let value, value.isFinite else { return "–" }
  return String(format: "%.\(digits)f", value)
}

private func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

private func left(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
