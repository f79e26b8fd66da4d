// The compiler of the toolchain that runs this test, and the modules that were built beside it.

import Foundation
import RaceLabCommand

struct Compiler: Sendable {
  /// Where `swiftc` is.
  let swiftc: URL
  /// The folder with the modules of this package, as the build that is under test made them.
  let modules: URL
  /// The maps of its modules in C.
  let maps: [URL]

  /// What the compiler said of one source.
  struct Verdict: Sendable {
    let accepted: Bool
    let diagnostics: String

    /// The errors, with the line of the source that each is in. Excerpts of the source, which
    /// stand below a diagnostic, do not have the form `file.swift:3:5: error: …`.
    var errors: [(line: Int, text: Substring)] {
      diagnostics.split(separator: "\n").compactMap { line in
        guard let match = line.firstMatch(of: /\.swift:([0-9]+):[0-9]+: error: (.*)/) else {
          return nil
        }
        return Int(match.1).map { ($0, match.2) }
      }
    }
  }

  struct NotFound: Error, CustomStringConvertible {
    let description: String
  }

  static func find() throws(NotFound) -> Compiler {
    guard let swiftc = findCompiler() else {
      throw NotFound(
        description: """
          No swiftc beside the Swift runtime in use, and none on PATH. The fixtures need the \
          compiler: run the tests where the whole toolchain is installed.
          """)
    }
    let modules = buildFolder.appending(path: "Modules")
    guard
      FileManager.default.fileExists(atPath: modules.appending(path: "Millrace.swiftmodule").path)
    else {
      throw NotFound(
        description: """
          No Millrace.swiftmodule in \(modules.path). The fixtures are built against the modules \
          beside the test bundle: run the tests with 'swift test'.
          """)
    }
    let built = (try? FileManager.default.contentsOfDirectory(atPath: buildFolder.path)) ?? []
    let maps = built.sorted().map { buildFolder.appending(path: "\($0)/module.modulemap") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
    return Compiler(swiftc: swiftc, modules: modules, maps: maps)
  }

  /// Compiles a source up to the checks that follow the types, such as what may be sent between
  /// isolations, and writes nothing.
  func check(_ source: String, name: String, flags: [String] = []) async throws -> Verdict {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "millrace-fixture-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "\(name).swift")
    try Data(source.utf8).write(to: file)
    // Where the macros of Swift Testing are.
    let plugins = swiftc.deletingLastPathComponent()
      .appending(path: "../lib/swift/host/plugins/testing").standardized
    let process = try await FinishedProcess(
      running: swiftc,
      [
        "-emit-sil", "-o", "/dev/null", "-parse-as-library", "-module-name", "Fixture",
        "-swift-version", "6", "-I", modules.path, "-diagnostic-style", "llvm",
        "-plugin-path", plugins.path,
      ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] } + flags + [file.path])
    return Verdict(accepted: process.status == 0, diagnostics: process.output + process.errors)
  }

  // Modules can be read only by the compiler that wrote them, and PATH may lead to another one.
  private static func findCompiler() -> URL? {
    let beside = runtimeLibrary.map {
      $0.deletingLastPathComponent().appending(path: "../../../bin/swiftc").standardized
    }
    let onPath = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
      URL(filePath: String($0)).appending(path: "swiftc")
    }
    return ([beside].compactMap(\.self) + onPath).first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }

  // usr/lib/swift/linux/libswiftCore.so, as this process has it mapped.
  private static var runtimeLibrary: URL? {
    guard let maps = FileManager.default.contents(atPath: "/proc/self/maps") else { return nil }
    return String(decoding: maps, as: UTF8.self).split(separator: "\n")
      .first { $0.hasSuffix("/libswiftCore.so") }
      .map { line in URL(filePath: String(line.drop { $0 != "/" })) }
  }

  private static var buildFolder: URL {
    #if canImport(Darwin)
      let bundle = Bundle(for: Anchor.self).bundleURL
    #else
      let bundle = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    #endif
    return bundle.resolvingSymlinksInPath().deletingLastPathComponent()
  }

  private final class Anchor {}
}
