// Files and lines that commands write and read.

import Foundation
import RaceLab

enum Output {
  static func error(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  static func write(_ text: String, to path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandError("Cannot write \(path): \(error.localizedDescription)")
    }
  }

  static func json(_ reports: [SearchReport]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(reports), as: UTF8.self) + "\n"
  }

  static func reports(from path: String) throws -> [SearchReport] {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw CommandError("Cannot read \(path): \(error.localizedDescription)")
    }
    do {
      return try JSONDecoder().decode([SearchReport].self, from: data)
    } catch {
      throw CommandError("\(path) is not a report that `explore --json` has written.")
    }
  }
}

/// Where reports are to be written.
struct ReportFiles: Sendable {
  var json: String?
  var junit: String?
  var html: String?

  func write(_ reports: [SearchReport], suite: String) throws {
    if let json { try Output.write(try Output.json(reports), to: json) }
    if let junit { try Output.write(JUnitReport.text(suite: suite, reports), to: junit) }
    if let html { try Output.write(HTMLReport.text(suite: suite, reports), to: html) }
  }
}
