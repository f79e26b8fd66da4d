// The public API compiles when it is used rightly, and only then.

import Foundation
import Testing

// Set where the toolchain is known to be whole, so that a compiler that is not found is a failure
// there and no reason to pass.
private let required = ProcessInfo.processInfo.environment["MILLRACE_REQUIRE_FIXTURES"] != nil
private let reasonNotToCompile: String? = {
  do throws(Compiler.NotFound) {
    _ = try Compiler.find()
    return nil
  } catch {
    return error.description
  }
}()

@Suite(
  .serialized,
  .enabled(if: required || reasonNotToCompile == nil, "\(reasonNotToCompile ?? "")"))
struct FixtureTests {
  // Without fixtures the tests below have no cases, and pass.
  @Test func thereAreFixturesOfEachKind() {
    #expect(!Fixture.all(.accept).isEmpty)
    #expect(!Fixture.all(.reject).isEmpty)
    #expect(Pages.all.count > 5 && Pages.all.allSatisfy { !$0.text.isEmpty })
    #expect(!Pages.examples().isEmpty)
  }

  // What the documentation shows stops compiling, and no one sees it.
  @Test(arguments: Fixture.all(.accept) + Pages.examples())
  func rightUseCompiles(fixture: Fixture) async throws {
    if let fault = try await fixture.fault(by: Compiler.find()) { Issue.record("\(fault)") }
  }

  // A signature is loosened, and a misuse that the compiler used to stop becomes a race.
  @Test(arguments: Fixture.all(.reject))
  func misuseDoesNotCompile(fixture: Fixture) async throws {
    if let fault = try await fixture.fault(by: Compiler.find()) { Issue.record("\(fault)") }
  }
}

// The check itself: one that cannot fail says nothing.
@Suite(
  .serialized,
  .enabled(if: required || reasonNotToCompile == nil, "\(reasonNotToCompile ?? "")"))
struct FixtureCheckTests {
  private func fault(_ kind: Fixture.Kind, _ source: String) async throws -> String? {
    try await Fixture(kind: kind, name: "Planted", source: source).fault(by: Compiler.find())
  }

  @Test func anAcceptedSourceWithAnErrorIsAFault() async throws {
    let fault = try #require(try await fault(.accept, "let word: Int = \"seven\"\n"))
    #expect(fault.contains("must compile, and does not"))
    #expect(fault.contains("cannot convert value of type 'String'"))
  }

  @Test func anAcceptedSourceWithAWarningIsAFault() async throws {
    let source = "func three() -> Int { let unread = 4; return 3 }\n"
    #expect(try await fault(.accept, source) != nil)
  }

  @Test func aRejectedSourceThatCompilesIsAFault() async throws {
    let fault = try await fault(.reject, "// expect: cannot convert\nlet word: Int = 7\n")
    #expect(fault?.contains("must not compile, and does") == true)
  }

  @Test func aRejectedSourceThatFailsForAnotherReasonIsAFault() async throws {
    let fault = try await fault(.reject, "// expect: data race\nlet word: Int = \"seven\"\n")
    #expect(fault?.contains("for another reason") == true)
  }

  // The excerpt below an error shows the line of the source, comments and all.
  @Test func anExpectationIsNotMetByTheSourceItself() async throws {
    let source = "// expect: seven\nlet word: Int = \"seven\"  // seven\n"
    #expect(try await fault(.reject, source)?.contains("for another reason") == true)
  }

  // One misuse is let pass, and another one in the same file gives the same error.
  @Test func anErrorOfAnotherLineDoesNotMeetAnExpectation() async throws {
    let source = """
      // expect: cannot convert
      let number: Int = 7
      let word: Int = "seven"
      """
    let fault = try #require(try await fault(.reject, source))
    #expect(fault.contains("No error says 'cannot convert' of line 2"))
  }

  @Test func aRejectedSourceWithoutAReasonIsAFault() async throws {
    let fault = try await fault(.reject, "let word: Int = \"seven\"\n")
    #expect(fault?.contains("does not say why") == true)
  }

  // Types alone do not show what may be sent between isolations.
  @Test func aRaceThatOnlyTheRegionsShowIsSeen() async throws {
    let source = """
      final class Box { var value = 0 }
      @MainActor func keep(_ box: Box) {}
      // expect: risks causing data races
      func send(_ box: Box) async { await keep(box) }
      """
    #expect(try await fault(.reject, source) == nil)
  }

  @Test func theModuleUnderTestIsImported() async throws {
    #expect(try await fault(.accept, "import Millrace\n") == nil)
  }
}

struct PageTests {
  // Prevents: a page whose app or host is not the one that is compiled and run.
  @Test func excerptsAreInTheFilesThatTheyName() throws {
    let excerpts = Pages.all.flatMap { Pages.excerpts(of: $0.text, named: $0.name) }
    #expect(excerpts.count >= 2)
    for excerpt in excerpts {
      let path = Fixture.packageRoot.appending(path: excerpt.file)
      let file = Pages.bare(try String(contentsOf: path, encoding: .utf8))
      #expect(file.contains(excerpt.text), "\(excerpt.name) is not in \(excerpt.file)")
    }
  }

  @Test func theBlocksThatAreMarkedAreLeftOut() {
    let page = """
      Text.

      ```swift
      let first = 1

      let second = 2
      ```

      <!-- not compiled: a part of a manifest -->

      ```swift
      .package(path: "millrace")
      ```
      ```bash
      swift test
      ```
      <!-- compiled in Tests/Some.swift -->

      ```swift
      import Millrace

        let third = 3
      ```
      """
    let examples = Pages.examples(in: page, named: "README")
    #expect(examples.map(\.name) == ["README_line_3"])
    #expect(examples.map(\.source) == ["let first = 1\n\nlet second = 2\n"])
    let excerpts = Pages.excerpts(of: page, named: "README")
    #expect(excerpts.map(\.file) == ["Tests/Some.swift"])
    #expect(excerpts.map(\.text) == ["let third = 3"])
  }

  // Prevents: a block that nobody compiles, since its mark says nothing or is another block's, or since its
  // fence is written otherwise.
  @Test func allOtherBlocksOfSwiftAreCompiled() {
    let page = """
      <!-- not compiled: -->

      ```swift
      let first = 1
      ```

      <!-- not compiled: a part of a manifest -->

      ```swift
      .package(path: "millrace")
      ```
      ```swift
      let second = 2
      ```

      - In a list:

        ~~~ Swift
        let third = 3
        ~~~

      ````swift
      let fourth = 4
      """
    let sources = Pages.examples(in: page, named: "README").map(\.source)
    #expect(
      sources == ["let first = 1\n", "let second = 2\n", "  let third = 3\n", "let fourth = 4\n"])
  }
}
