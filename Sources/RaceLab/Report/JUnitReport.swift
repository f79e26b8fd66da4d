// Results for build servers, in the XML that JUnit made common.

/// Writes searches as test cases.
public enum JUnitReport {
  /// One suite, with a case for each search.
  public static func text(suite: String, _ reports: [SearchReport]) -> String {
    let failures = reports.filter { !$0.findings.isEmpty }.count
    let seconds = reports.reduce(0) { $0 + $1.seconds }
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites>",
      "  <testsuite name=\"\(escape(suite))\" tests=\"\(reports.count)\" "
        + "failures=\"\(failures)\" time=\"\(seconds)\">",
    ]
    for report in reports {
      lines.append(
        "    <testcase classname=\"\(escape(suite))\" name=\"\(escape(report.scenario))\" "
          + "time=\"\(report.seconds)\">")
      for finding in report.findings {
        lines.append(
          "      <failure type=\"\(finding.kind.rawValue)\" "
            + "message=\"\(escape(finding.message))\">"
            + escape(
              ([finding.table] + finding.waiting).joined(separator: "\n")
                + "\nToken: \(finding.token)\n")
            + "</failure>")
      }
      lines.append("      <system-out>\(escape(report.summary))</system-out>")
      lines.append("    </testcase>")
    }
    lines += ["  </testsuite>", "</testsuites>", ""]
    return lines.joined(separator: "\n")
  }

  /// Text as XML may hold it: marks replaced, characters that XML forbids left out.
  static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      case "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
        result.unicodeScalars.append(scalar)
      default: result += "?"
      }
    }
    return result
  }
}
