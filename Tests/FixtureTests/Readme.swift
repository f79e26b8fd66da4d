// The examples of README.md, as fixtures that must compile.

import Foundation

enum Readme {
  /// The fenced Swift blocks of a page, each on its own, named by the line that they start at.
  ///
  /// A block is left out if the last line above it that is not empty is an HTML comment which
  /// begins `<!-- not compiled:` and tells why.
  static func examples(in page: String) -> [Fixture] {
    var examples: [Fixture] = []
    var block: (start: Int, lines: [Substring])?
    var lastLine: Substring = ""
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if let open = block {
        if line == "```" {
          let source = open.lines.joined(separator: "\n") + "\n"
          examples.append(
            Fixture(kind: .accept, name: "README_line_\(open.start)", source: source))
          block = nil
        } else {
          block?.lines.append(line)
        }
      } else if line == "```swift", !lastLine.hasPrefix("<!-- not compiled:") {
        block = (index + 1, [])
      }
      if !line.isEmpty { lastLine = line }
    }
    return examples
  }

  static func examples() -> [Fixture] {
    let path = Fixture.packageRoot.appending(path: "README.md").path
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return examples(in: String(decoding: data, as: UTF8.self))
  }
}
