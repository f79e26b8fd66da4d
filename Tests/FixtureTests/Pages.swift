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

    /// Whether the mark says why it is not compiled.
    var isLeftOut: Bool { mark.wholeMatch(of: /<!-- not compiled: .*\w.* -->/) != nil }
  }

  /// The fenced Swift blocks of a page, each on its own, named by the line that they start at.
  ///
  /// A block is left out if the line above it that is not empty is an HTML comment in one line:
  /// `<!-- not compiled: REASON -->`, or `<!-- compiled in FILE -->` for a block that is a part of this file.
  /// A mark is for one block. Whatever else is Swift by its fence is compiled.
  static func examples(in page: String, named name: String) -> [Fixture] {
    blocks(of: page).filter { !$0.isLeftOut && $0.file == nil }.map {
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
    let fence = /\s*(`{3,}|~{3,})\s*swift\b.*/.ignoresCase()
    var blocks: [Block] = []
    var block: (start: Int, fence: Substring, lines: [Substring])?
    var lastLine: Substring = ""
    func close() {
      guard let open = block else { return }
      let source = open.lines.joined(separator: "\n") + "\n"
      blocks.append(Block(start: open.start, mark: lastLine, source: source))
      (block, lastLine) = (nil, "")
    }
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if let open = block {
        if line.drop(while: \.isWhitespace) == open.fence {
          close()
        } else {
          block?.lines.append(line)
        }
      } else if let match = line.wholeMatch(of: fence) {
        block = (index + 1, match.1, [])
      } else if !line.isEmpty {
        lastLine = line
      }
    }
    close()  // one that is not closed goes on to the end of its page
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
