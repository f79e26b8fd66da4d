// The command line and the files of the benchmarks: what is wrong is told with what to do.

import Foundation
import Testing

@testable import MillraceBenchmarks

@Suite struct CommandLineTests {
  // Fault: a misspelt option is ignored, and the run measures something else.
  @Test(arguments: [
    ["--bogus"], ["--json"], ["--json", "--quick"], ["--pairs", "many"], ["--pairs", "0"],
    ["--only", "both"], ["--plant", "-3"],
  ])
  func badOptionsAreToldApart(_ arguments: [String]) {
    #expect {
      try Options(arguments)
    } throws: { error in
      guard let error = error as? ToolError else { return false }
      return error.status == 64 && error.message.contains(arguments[0])
    }
  }

  // Fault: a file of another kind or version is read as an empty result, and all looks well.
  @Test func badFilesAreToldApart() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "old.json").path
    func status(_ text: String?) throws -> Int32? {
      try? FileManager.default.removeItem(atPath: file)
      if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
      do { _ = try RunResult(file: file) } catch let error as ToolError {
        #expect(error.message.contains(file))
        return error.status
      }
      return nil
    }
    #expect(try status(nil) == 66)
    #expect(try status("not JSON") == 65)
    #expect(try status("{\"format\": 1}") == 65)
    let good = RunResult(platform: "here", isQuick: true, pairs: 1, cases: [])
    #expect(try status(encodeJSON(good)) == nil)
    var newer = good
    newer.format = 99
    #expect(try status(encodeJSON(newer)) == 65)
  }
}
