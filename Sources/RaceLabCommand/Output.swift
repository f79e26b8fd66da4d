// Files and lines that commands write and read.

import Foundation
import RaceLab

enum Output {
  static func error(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Writes a line to the standard output.
  static func print(_ line: String) throws(OutputError) {
    do { try OutputFile.standardOutput.write(line + "\n") } catch { throw OutputError() }
  }

  /// Throws what writing would throw now, and changes nothing.
  static func checkWritable(_ path: String) throws {
    do { try OutputFile.checkWritable(path) } catch {
      throw CommandError("Cannot write \(path): \(error.reason).")
    }
  }

  static func write(_ text: String, to path: String) throws {
    do { try OutputFile.write(text, to: path) } catch {
      throw CommandError("Cannot write \(path): \(error.reason).")
    }
  }

  static func json(_ reports: [SearchReport]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return String(decoding: try encoder.encode(reports), as: UTF8.self) + "\n"
  }

  static func reports(from path: String) throws -> [SearchReport] {
    let data: Data
    do { data = try OutputFile.read(path) } catch {
      throw CommandError("Cannot read \(path): \(error.reason).")
    }
    do {
      return try JSONDecoder().decode([SearchReport].self, from: data)
    } catch {
      throw CommandError("\(path) is not a report that `explore --json` has written.")
    }
  }
}

/// The standard output cannot be written.
struct OutputError: Error {}

/// Where reports are to be written.
struct ReportFiles: Sendable {
  var json: String?
  var junit: String?
  var html: String?

  /// Throws if one of them cannot be written: to be asked before a long search.
  func checkWritable() throws {
    for path in [json, junit, html].compactMap(\.self) { try Output.checkWritable(path) }
  }

  /// Prints a line for people: on the standard error, where a report is what the standard output is for.
  func print(_ line: String) throws(OutputError) {
    if [json, junit, html].contains("-") { Output.error(line) } else { try Output.print(line) }
  }

  func write(_ reports: [SearchReport], suite: String) throws {
    if let json { try Output.write(try Output.json(reports), to: json) }
    if let junit { try Output.write(JUnitReport.text(suite: suite, reports), to: junit) }
    if let html { try Output.write(HTMLReport.text(suite: suite, reports), to: html) }
  }
}
