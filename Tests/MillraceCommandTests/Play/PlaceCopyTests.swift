// What `--restore` keeps of a place that is cut.

import Foundation
import Testing

@Suite struct PlaceCopyTests {
  private static func cut(_ book: Int) -> String {
    """
    {"version": 1, "account": "M1", "stack": [{"route": {"home": {}}, "selected": 0,
     "tabs": [[{"route": {"catalogue": {}}}, {"route": {"coupon": {"v": \(book)}}}]]}]}
    """
  }

  private static func run(
    named name: String, _ texts: [String],
    _ check: (_ run: Int, _ process: MillraceProcess, _ folder: borrowing TemporaryFolder) throws
      -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    for (number, text) in texts.enumerated() {
      let place = try folder.write(text.utf8, name)
      let process = try await MillraceProcess(
        "play", "--script", "/dev/null", "--quiet", "--restore", place)
      try check(number, process, folder)
    }
  }

  // Prevents: a second cut that writes over what was kept of the first.
  @Test func secondCut_isKeptUnderANameOfItsOwn() async throws {
    let texts = [Self.cut(1), Self.cut(2), Self.cut(3)]
    try await Self.run(named: "p.json", texts) { number, process, folder in
      #expect(process.status == 0, "\(process.errors)")
      for (kept, name) in ["p.json.before", "p.json.before-2", "p.json.before-3"].enumerated() {
        let expected = kept <= number ? texts[kept] : nil
        let text = folder.text(name)
        #expect(text == expected, "\(number) \(name)")
      }
    }
  }

  // The name is as long as a name may be: the one beside it is too long.
  // Prevents: a place that is cut in its file although what it lost is nowhere else.
  @Test func placeThatCannotBeKept_staysAsItIs() async throws {
    let name = String(repeating: "p", count: 250)
    try await Self.run(named: name, [Self.cut(1)]) { _, process, folder in
      #expect(process.status == 74, "\(process.errors)")
      #expect(process.errors.contains("cannot be kept beside it"), "\(process.errors)")
      #expect(process.errors.contains("The file stays as it is"))
      let text = folder.text(name)
      #expect(text == Self.cut(1))
    }
  }
}
