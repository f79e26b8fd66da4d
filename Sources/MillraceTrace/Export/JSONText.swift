// Just enough JSON to write reports without Foundation.

/// A JSON value that knows how to write itself.
package enum JSON {
  case text(String)
  case number(Double)
  case whole(Int)
  case flag(Bool)
  case null
  case list([JSON])
  /// Members in the order given.
  case object([(String, JSON)])

  /// In one line.
  package var line: String {
    var text = ""
    write(to: &text)
    return text
  }

  func write(to out: inout String) {
    switch self {
    case .text(let text): Self.quote(text, to: &out)
    case .number(let number): out += number.isFinite ? "\(number)" : "null"
    case .whole(let number): out += "\(number)"
    case .flag(let flag): out += flag ? "true" : "false"
    case .null: out += "null"
    case .list(let items):
      out += "["
      for (index, item) in items.enumerated() {
        if index > 0 { out += "," }
        item.write(to: &out)
      }
      out += "]"
    case .object(let members):
      out += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { out += "," }
        Self.quote(member.0, to: &out)
        out += ":"
        member.1.write(to: &out)
      }
      out += "}"
    }
  }

  private static func quote(_ text: String, to out: inout String) {
    out += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }
}

extension Duration {
  /// The seconds, as a number.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// Microseconds, as a number.
  var microseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) * 1e-12
  }

  /// Seconds with three digits, milliseconds below a second, microseconds below a millisecond.
  var short: String {
    let micros = microseconds
    if micros >= 1_000_000 { return Self.thousandths(micros / 1000) + " s" }
    if micros >= 1000 { return Self.thousandths(micros) + " ms" }
    return "\(Int(micros.rounded())) µs"
  }

  private static func thousandths(_ value: Double) -> String {
    let whole = Int(value.rounded())
    let rest = String(whole % 1000)
    return "\(whole / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}

/// Text for HTML.
func escapedForHTML(_ text: String) -> String {
  var out = ""
  for character in text {
    switch character {
    case "&": out += "&amp;"
    case "<": out += "&lt;"
    case ">": out += "&gt;"
    case "\"": out += "&quot;"
    default: out.append(character)
    }
  }
  return out
}
