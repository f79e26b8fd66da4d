// A source that must compile, or must not and for the reason that it names.

import Foundation
import Testing

struct Fixture: Sendable, CustomTestStringConvertible {
  enum Kind: String, Sendable { case accept, reject }

  let kind: Kind
  let name: String
  let source: String

  var testDescription: String { name }

  /// What an error must say, and of which line.
  struct Expectation: Sendable, CustomStringConvertible {
    let text: Substring
    let line: Int

    var description: String { "'\(text)' of line \(line)" }
  }

  /// From the lines `// expect: …`. Each speaks of the next line that is not a comment.
  var expectations: [Expectation] {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    var expectations: [Expectation] = []
    for (index, line) in lines.enumerated() {
      let code = line.drop { $0 == " " }
      guard code.hasPrefix("// expect: ") else { continue }
      let next = lines[index...].firstIndex { !$0.drop { $0 == " " }.hasPrefix("//") }
      expectations.append(
        Expectation(text: code.dropFirst("// expect: ".count), line: (next ?? index) + 1))
    }
    return expectations
  }

  /// From the lines `// flags: …`: what the compiler is given besides.
  var flags: [String] {
    source.split(separator: "\n").filter { $0.hasPrefix("// flags: ") }
      .flatMap { $0.dropFirst("// flags: ".count).split(separator: " ").map(String.init) }
  }

  /// Compiles it. Returns what is wrong, for a person; nil if all is as the fixture says.
  func fault(by compiler: Compiler) async throws -> String? {
    switch kind {
    case .accept:
      let verdict = try await compiler.check(
        source, name: name, flags: flags + ["-warnings-as-errors"])
      if verdict.accepted { return nil }
      return "\(name) must compile, and does not:\n\(verdict.diagnostics)"
    case .reject:
      if expectations.isEmpty {
        return """
          \(name) does not say why it must not compile. Add a line '// expect: ' with a part of \
          the error, above the line that the error is in.
          """
      }
      let verdict = try await compiler.check(source, name: name, flags: flags)
      if verdict.accepted {
        return "\(name) must not compile, and does: the API lets a misuse pass."
      }
      let missing = expectations.filter { expected in
        !verdict.errors.contains { $0.line == expected.line && $0.text.contains(expected.text) }
      }
      if missing.isEmpty { return nil }
      return """
        \(name) does not compile, but for another reason. No error says \
        \(missing.map(\.description).joined(separator: ", nor ")). The compiler said:
        \(verdict.diagnostics)
        """
    }
  }

  /// The fixtures of a kind, by name: the files in `Tests/Fixtures`.
  static func all(_ kind: Kind) -> [Fixture] {
    let folder = packageRoot.appending(path: "Tests/Fixtures/\(kind.rawValue)")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".swift") }.sorted().map { file in
      let data = FileManager.default.contents(atPath: folder.appending(path: file).path)
      return Fixture(
        kind: kind, name: String(file.dropLast(".swift".count)),
        source: data.map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
  }

  static var packageRoot: URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  }
}
