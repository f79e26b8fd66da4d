// Lines of source for addresses in this program, by a symbolizer on PATH: the toolchain has one.

import Foundation
import RaceLab

enum Symbolizer {
  /// Addresses in one call, so that the arguments are not too many.
  private static let most = 500

  /// The values of a search, with lines of source where they can be found.
  static func report(_ exploration: Exploration) async -> SearchReport {
    SearchReport(exploration, lines: await lines(of: exploration.codeOffsets))
  }

  /// `File.swift:12` for each address for which it is known; none without a symbolizer.
  static func lines(of offsets: [UInt]) async -> [UInt: String] {
    var lines: [UInt: String] = [:]
    var rest = Set(offsets).sorted()[...]
    guard !rest.isEmpty, let symbolizer else { return [:] }
    while !rest.isEmpty {
      let part = rest.prefix(most)
      rest = rest.dropFirst(most)
      let arguments = ["--obj=\(Child.program)", "--no-inlines", "--functions=none"]
      let addresses = part.map { "0x" + String($0, radix: 16) }
      guard
        let process = try? await FinishedProcess(
          running: symbolizer, arguments + addresses), process.status == 0
      else { return lines }
      let answers = process.output.split(separator: "\n")
      guard answers.count == part.count else { return lines }
      for (offset, answer) in zip(part, answers) { lines[offset] = line(answer) }
    }
    return lines
  }

  /// From `/folder/File.swift:12:3`; nil for what the compiler made.
  private static func line(_ answer: Substring) -> String? {
    let words = answer.split(separator: ":")
    guard words.count >= 3, let number = Int(words[words.count - 2]), number > 0,
      let file = words[words.count - 3].split(separator: "/").last, file.hasSuffix(".swift")
    else { return nil }
    return "\(file):\(number)"
  }

  private static var symbolizer: URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").lazy
      .map { URL(fileURLWithPath: String($0)).appending(path: "llvm-symbolizer") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
