// Instructions, counted by callgrind: the tool runs itself under valgrind, a side at a time, and
// callgrind counts in the measured region only. The same to within 1 % from build to build.

import Foundation

struct InstructionCount {
  func add(to result: inout [CaseResult]) throws {
    guard Probe.steersCallgrind, let valgrind = Self.valgrind else {
      throw ToolError(
        message: "--instructions needs valgrind and, when this is built, its header "
          + "valgrind/callgrind.h: install valgrind, then build again", status: 69)
    }
    for index in result.indices where !result[index].isMemory {
      let item = result[index]
      try count(item, "millrace", valgrind, into: &result[index].millrace)
      try count(item, "hand", valgrind, into: &result[index].hand)
    }
  }

  /// Work that grows is counted for few units too: caches change the time of many, not the count.
  private func count(
    _ item: CaseResult, _ side: String, _ valgrind: URL, into result: inout SideResult
  ) throws {
    let units = item.countingUnits
    let instructions = try count(item, side, units, valgrind)
    result.instructions = rounded(instructions, 1)
    guard item.grows, units > Self.few else { return }
    let few = try count(item, side, Self.few, valgrind)
    result.instructionExponent = growthExponent([
      (Double(Self.few), few * Double(Self.few)), (Double(units), instructions * Double(units)),
    ]).map { rounded($0, 3) }
  }

  private static let few = 100

  private static var valgrind: URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/valgrind") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Instructions per unit.
  private func count(
    _ item: CaseResult, _ side: String, _ units: Int, _ valgrind: URL
  ) throws -> Double {
    let process = Process()
    process.executableURL = valgrind
    process.arguments = [
      "--tool=callgrind", "--collect-atstart=no", "--callgrind-out-file=/dev/null",
      CommandLine.arguments[0], "--units", "\(units)", "--only", side, "--filter",
      item.name,
    ]
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let line = text.split(separator: "\n").first { $0.contains("Collected :") }
    guard let number = line?.split(separator: ":").last.flatMap({ Double($0.trimmed) }) else {
      throw ToolError(
        message: "callgrind gave no count for '\(item.name)': \(text.suffix(300))", status: 70)
    }
    return number / Double(units)
  }
}

extension Substring {
  fileprivate var trimmed: String { filter { !$0.isWhitespace } }
}
