// What must not compile, since it would trap at run time: main-actor code in foreign hands.

#if os(Linux) || os(macOS)
  import Foundation
  import RaceLabCommand
  import Testing

  @Suite(.timeLimit(.minutes(15)), .enabled(if: Compiler.isThere)) struct CompileCases {
    // Fault: a closure that is silently isolated to the main actor is given to a system that
    // calls it on a queue of its own.
    @Test(arguments: Snippet.refused)
    func c76_mainActorClosureForASendableOne_doesNotCompile(_ snippet: Snippet) async throws {
      let result = try await Compiler.check(snippet)
      #expect(!result.compiles)
      #expect(result.output.contains(snippet.complaint), "\(result.output)")
    }

    // The control: what is refused above is refused for its isolation, not for a slip elsewhere.
    @Test(arguments: Snippet.accepted)
    func c76_reportFromASendableClosure_compiles(_ snippet: Snippet) async throws {
      let result = try await Compiler.check(snippet)
      #expect(result.compiles, "\(result.output)")
    }
  }

  /// Statements of a main-actor function that has a `window` and a `flow`.
  struct Snippet: Sendable, CustomTestStringConvertible {
    let name: String
    let complaint: String
    let text: String

    var testDescription: String { name }

    static let accepted = [
      Snippet(
        name: "a report", complaint: "",
        text: "let id = flow.scope.id; system { window.report(.didDismiss(id)) }"),
      Snippet(
        name: "a reply", complaint: "",
        text: """
          flow.scope.task { [flow] in
            _ = try await flow.scope.reply("scan") { reply in system { reply.succeed(1) } }
          }
          """),
      Snippet(
        name: "a hop", complaint: "",
        text: "system { Task { @MainActor in flow.scope.finish(1) } }"),
    ]

    static let refused = [
      Snippet(
        name: "a finish", complaint: "main actor-isolated",
        text: "system { flow.scope.finish(1) }"),
      Snippet(
        name: "a main-actor closure", complaint: "loses global actor 'MainActor'",
        text: "let handler: @MainActor @Sendable () -> Void = {}; system(handler)"),
      Snippet(
        name: "a scope in a detached task", complaint: "closure captures 'scope'",
        text: "let scope = flow.scope; Task.detached { _ = scope; await MainActor.run {} }"),
      Snippet(
        name: "a child in a sendable closure", complaint: "Child",
        text: "let child = flow.scope.start { Leaf($0) }; system { _ = child }"),
      Snippet(
        name: "the flow's state in an operation", complaint: "main actor-isolated",
        text: "flow.scope.perform(\"work\") { flow.count += 1 }"),
    ]

    var source: String {
      """
      import Millrace
      @MainActor final class Leaf: Flow {
        let scope: FlowScope<Int>
        var count = 0
        init(_ scope: FlowScope<Int>) { self.scope = scope }
      }
      func system(_ callback: @escaping @Sendable () -> Void) { callback() }
      @MainActor func client(window: FlowWindow, flow: Leaf) {
        \(text)
      }
      """
    }
  }

  /// The compiler of the toolchain, on the modules that the tests were built with.
  enum Compiler {
    private static var modules: URL {
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("Modules")
    }

    static var isThere: Bool {
      FileManager.default.fileExists(
        atPath: modules.appendingPathComponent("Millrace.swiftmodule").path)
    }

    static func check(_ snippet: Snippet) async throws -> (compiles: Bool, output: String) {
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("snippet-\(UUID().uuidString).swift")
      try snippet.source.write(to: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(at: file) }
      // Not only type-checked: what may be sent is found in a later pass.
      let process = try await FinishedProcess(
        running: URL(fileURLWithPath: "/usr/bin/env"),
        [
          "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", modules.path,
          file.path,
        ])
      return (process.status == 0, process.output + process.errors)
    }
  }
#endif
