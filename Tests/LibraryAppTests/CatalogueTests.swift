// The catalogue: what is read, how it is shown, and what each fault says.

import Foundation
import LibraryApp
import MillraceFiles
import Testing

@Suite struct CatalogueTests {
  private func read(_ json: String) throws(CatalogueError) -> Catalogue {
    try Catalogue(json: Data(json.utf8), source: "test.json")
  }

  private func problem(_ json: String) -> CatalogueError.Problem? {
    do {
      _ = try read(json)
      return nil
    } catch {
      return error.problem
    }
  }

  // Prevents: a resource that is left out of the build, or records lost on the way.
  @Test func builtIn_hasAllRecordsInOrder() throws {
    let catalogue = try Catalogue.builtIn()
    #expect(catalogue.books.count == 39)
    #expect(catalogue.books.first?.id == 1)
    #expect(catalogue.books.last?.id == 47)
    #expect(catalogue[14] == nil)
  }

  // Prevents: a list row that is broken over two lines, or a doubled mark before a subtitle.
  @Test func titleWithLineBreaks_isShownOnOneLine() throws {
    let catalogue = try Catalogue.builtIn()
    #expect(
      catalogue[2]?.displayTitle == "The United States Bill of Rights: "
        + "The Ten Original Amendments to the Constitution of the United States")
    for book in catalogue.books {
      #expect(!book.displayTitle.contains { $0.isNewline })
      #expect(!book.byline.isEmpty)
    }
  }

  // Prevents: a file that colours, clears or turns round the reader's terminal.
  @Test func titleWithControlCharacters_losesThem() throws {
    let json = #"""
      [{"id": 1, "title": "A\u001b[31m\t B\u202e \r\n\u2028C!\nD", "issued": "2008-01-01"}]
      """#
    #expect(try read(json)[1]?.displayTitle == "A[31m B: C! D")
  }

  // Prevents: two rows that cannot be told apart.
  @Test func equalTitles_areLabelledByNumber() throws {
    let catalogue = try Catalogue.builtIn()
    #expect(catalogue.label(of: 20) == "Paradise Lost (no. 20)")
    #expect(catalogue.label(of: 26) == "Paradise Lost (no. 26)")
    #expect(catalogue.label(of: 15) == "Moby-Dick; or, The Whale")
    #expect(catalogue.label(of: 999) == "book 999")
    let kept = catalogue.filter { $0.id == 26 }
    #expect(kept.books.map(\.id) == [26])
    #expect(kept.label(of: 26) == "Paradise Lost (no. 26)")
  }

  // Prevents: an empty byline, and years or a lost role in it.
  @Test func authors_areShownWithoutYears() throws {
    let catalogue = try Catalogue.builtIn()
    #expect(catalogue[10]?.byline == "author unknown")
    #expect(catalogue[11]?.byline == "Carroll, Lewis")
    #expect(catalogue[21]?.byline == "Aesop; Townsend, George Fyler [Translator]")
    #expect(catalogue[35]?.byline == "Wells, H. G. (Herbert George)")
    let absent = #"[{"id": 1, "title": "A", "issued": "2008-01-01", "authors": null}]"#
    #expect(try read(absent)[1]?.byline == "author unknown")
  }

  // Prevents: "not valid JSON" for a file that is simply empty or wrapped in an object.
  @Test func wrongOutermostValue_saysWhatWasFound() {
    #expect(problem("") == .noContent)
    #expect(problem(" \n") == .noContent)
    #expect(problem("[]") == .noBooks)
    #expect(problem("{}") == .notAnArray(found: .object))
    #expect(problem("7") == .notAnArray(found: .number))
    #expect(problem("null") == .notAnArray(found: .null))
    #expect(problem("\"text\"") == .notAnArray(found: .string))
  }

  // Prevents: a syntax fault that has to be searched by eye.
  @Test func brokenJSON_saysWhere() {
    #expect(
      problem("[{\"id\": 1,\n \"title\": \"A\",\n  oops}]")
        == .notJSON(
          reason: "a name in quotation marks is expected",
          position: TextPosition(line: 3, column: 3)))
    #expect(
      problem("[\n{\"id\": 1")
        == .notJSON(
          reason: "the text ends too early", position: TextPosition(line: 2, column: 9)))
  }

  // Prevents: text in another encoding that is reported as a record of the wrong kind.
  @Test func textThatIsNotUTF8_saysSo() {
    let error = #expect(throws: CatalogueError.self) {
      _ = try Catalogue(json: Data([0x5B, 0x22, 0xFF, 0x22, 0x5D]), source: "test.json")
    }
    guard case .notJSON(let reason, _) = error?.problem else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(reason == "this is not UTF-8")
  }

  // Prevents: deep nesting that overflows the stack.
  @Test func deepNesting_isAnError() {
    guard case .notJSON = problem(String(repeating: "[", count: 100_000)) else {
      Issue.record("deep nesting was not refused")
      return
    }
  }

  // Prevents: mending a file one run per fault, and a record that is only "somewhere".
  @Test func faultyRecords_areAllNamed() {
    let json = #"""
      [{"id": 1, "title": "Good", "issued": "2008-01-01"},
       {"id": "2", "title": "Text for a number", "issued": "2008-01-01"},
       {"id": 3, "issued": "2008-02-30", "authors": [4]},
       null,
       {"id": 2.5, "title": " \n", "issued": 5},
       {"id": 0, "title": "Zero", "issued": "2008-01-01"}]
      """#
    let expected: [RecordFault] = [
      fault(
        1, nil, "Text for a number", "id", .wrongKind(expected: "a whole number", found: .string)),
      fault(2, 3, nil, "title", .missing),
      fault(2, 3, nil, "authors", .unusable(why: "must hold nothing but strings")),
      fault(
        2, 3, nil, "issued",
        .unusable(why: "is \"2008-02-30\", but must be a day such as \"2008-06-27\"")),
      fault(3, nil, nil, nil, .wrongKind(expected: "an object", found: .null)),
      fault(
        4, nil, " \n", "id", .unusable(why: "must be a whole number that fits in 64 bits")),
      fault(4, nil, " \n", "issued", .wrongKind(expected: "a string", found: .number)),
      fault(4, nil, " \n", "title", .unusable(why: "is blank")),
      fault(5, 0, "Zero", "id", .unusable(why: "is 0, but must be 1 or more")),
    ]
    #expect(problem(json) == .faultyRecords(expected))
  }

  private func fault(
    _ index: Int, _ id: Int?, _ title: String?, _ field: String?,
    _ complaint: RecordFault.Complaint
  ) -> RecordFault {
    RecordFault(index: index, id: id, title: title, field: field, complaint: complaint)
  }

  // Prevents: a message without the record, the reason or the remedy.
  @Test func faultyRecord_readsAsASentence() {
    let error = #expect(throws: CatalogueError.self) {
      _ = try read(#"[{"id": 15, "title": "Moby-Dick;\nor, The Whale", "issued": 1991}]"#)
    }
    #expect(
      error?.description
        == #"test.json: record 1 (id 15, "Moby-Dick; or, The Whale"): "#
        + #""issued" must be a string, but is a number"#)
    #expect(error?.remedy.contains("2008-06-27") == true)
  }

  // Prevents: one book that silently replaces another.
  @Test func duplicateIDs_nameBothRecords() {
    let json = #"""
      [{"id": 1, "title": "A", "issued": "2008-01-01"},
       {"id": 2, "title": "B", "issued": "2008-01-01"},
       {"id": 1, "title": "C", "issued": "2008-01-01"}]
      """#
    let error = #expect(throws: CatalogueError.self) { _ = try read(json) }
    #expect(
      error?.description
        == #"test.json: id 1 stands in record 1 ("A") and again in record 3 ("C")"#)
  }

  // Prevents: a path that does not exist, or a folder, reported as broken JSON.
  @Test func unreadableFile_saysWhy() throws {
    let folder = FileManager.default.temporaryDirectory.path
    for (path, reason) in [
      ("\(folder)/no such file.json", "there is no such file"), (folder, "it is a folder"),
    ] {
      let error = #expect(throws: CatalogueError.self) { _ = try Catalogue(path: path) }
      #expect(error == CatalogueError(source: path, problem: .unreadable(reason: reason)))
    }
  }
}
