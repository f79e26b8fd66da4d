// The blocks of pages that stand for whole files: what is shown is what is compiled and run.

import Foundation
import Testing

struct PageFileTests {
  // Prevents: a page whose code is not the one that is compiled and run.
  @Test(
    arguments: [
      "README.md", "Sources/Millrace/Millrace.docc/Tutorial.md",
      "Sources/MillraceRoutes/MillraceRoutes.docc/Shop.md",
    ])
  func theFilesOfAPageAreThoseThatAreTested(page: String) throws {
    let blocks = PageFile.blocks(in: try text(of: page))
    #expect(!blocks.isEmpty)
    for block in blocks {
      #expect(try text(of: block.file) == block.tested, "\(page), \(block.file)")
    }
    // None is left out: with what a page shows its reader comes as far as the tests do.
    let shown = Set(blocks.map(\.file))
    for folder in Set(shown.map { String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.endIndex)) }) {
      let files = try FileManager.default.contentsOfDirectory(atPath: url(folder).path)
      #expect(Set(files.map { "\(folder)/\($0)" }) == shown, "\(page), \(folder)")
    }
  }

  @Test func theBlocksThatAreFilesAreFound() {
    let page = """
      <!-- not compiled: a manifest -->

      ```swift
      let package = 1
      ```

      `Tests/PickerTests.swift`

      <!-- not compiled: Tests/App/PickerTests.swift, where it is compiled and run -->

      ```swift
      import Testing

      @testable import App

      @Test func picks() {}
      ```
      """
    let blocks = PageFile.blocks(in: page)
    #expect(blocks.map(\.file) == ["Tests/App/PickerTests.swift"])
    #expect(blocks.map(\.tested) == ["import Testing\n\n@Test func picks() {}\n"])
  }

  private func url(_ path: String) -> URL { Fixture.packageRoot.appending(path: path) }
  private func text(of path: String) throws -> String {
    try String(contentsOf: url(path), encoding: .utf8)
  }
}

/// A block of a page that stands for a file of this package.
struct PageFile {
  /// Where the file is, from the root of the package.
  let file: String
  /// The text of the block.
  let text: String

  /// The text as it is in the file: there the code and its tests are one module.
  var tested: String { text.replacing(/@testable import \w+\n\n/, with: "") }

  /// The blocks under `<!-- FILE, where it is compiled and run -->`; with `not compiled: ` before the file
  /// the block does not compile alone.
  static func blocks(in page: String) -> [PageFile] {
    let block =
      /<!-- (?:not compiled: )?(\S+\.swift), where it is compiled and run -->\n\n```swift\n((?s).*?)```\n?/
    return page.matches(of: block).map { PageFile(file: String($0.1), text: String($0.2)) }
  }
}
