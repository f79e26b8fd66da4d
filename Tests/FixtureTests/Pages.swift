// The examples of README.md and of the articles, as fixtures that must compile.

import Foundation

enum Pages {
  /// A fenced Swift block, and the last line above it that is not empty.
  private struct Block {
    let start: Int
    let mark: Substring
    let source: String

    /// Where it stands as well, if the mark is `<!-- compiled in FILE -->`.
    var file: String? {
      mark.wholeMatch(of: /<!-- compiled in (.+) -->/).map { String($0.1) }
    }
  }

  /// The fenced Swift blocks of a page, each on its own, named by the line that they start at.
  ///
  /// A block is left out if the line above it that is not empty is an HTML comment: one that begins
  /// `<!-- not compiled:` and tells why, or `<!-- compiled in FILE -->` for a block that is a part of this
  /// file.
  static func examples(in page: String, named name: String) -> [Fixture] {
    blocks(of: page).filter { !$0.mark.hasPrefix("<!-- not compiled:") && $0.file == nil }.map {
      Fixture(kind: .accept, name: "\(name)_line_\($0.start)", source: $0.source)
    }
  }

  /// The blocks that are a part of a file, and where: the text that the file must have, without its
  /// imports and without what is in front of a line.
  static func excerpts(of page: String, named name: String) -> [(
    name: String, file: String, text: String
  )] {
    blocks(of: page).compactMap { block in
      block.file.map { ("\(name)_line_\(block.start)", $0, bare(block.source)) }
    }
  }

  /// A source without imports, empty lines and indentation.
  static func bare(_ source: String) -> String {
    source.split(separator: "\n").map { $0.drop { $0 == " " } }
      .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
  }

  private static func blocks(of page: String) -> [Block] {
    var blocks: [Block] = []
    var block: (start: Int, lines: [Substring])?
    var lastLine: Substring = ""
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if let open = block {
        if line == "```" {
          let source = open.lines.joined(separator: "\n") + "\n"
          blocks.append(Block(start: open.start, mark: lastLine, source: source))
          block = nil
        } else {
          block?.lines.append(line)
        }
      } else if line == "```swift" {
        block = (index + 1, [])
      } else if !line.isEmpty {
        lastLine = line
      }
    }
    return blocks
  }

  /// README.md and every article of the catalogues, by name; empty where one cannot be read.
  static let all: [(name: String, text: String)] = {
    let root = Fixture.packageRoot
    let files = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
    let articles = (files?.compactMap { $0 as? String } ?? [])
      .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted().map { "Sources/\($0)" }
    return (["README.md"] + articles).map { path in
      let data = FileManager.default.contents(atPath: root.appending(path: path).path) ?? Data()
      let parts = path.dropLast(".md".count).split(separator: "/").filter { $0 != "Sources" }
      let name = parts.filter { !$0.hasSuffix(".docc") }.joined(separator: "_")
      return (name, String(decoding: data, as: UTF8.self))
    }
  }()

  static func examples() -> [Fixture] {
    all.flatMap { page in examples(in: page.text, named: page.name) }
  }
}
