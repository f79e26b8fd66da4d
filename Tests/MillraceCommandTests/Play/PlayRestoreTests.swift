// `millrace play --restore`: the play starts from the saved place, keeps it, and tells what is wrong
// with it before anything is changed.

import Foundation
import LibraryApp
import Millrace
import MillraceCommand
import MillraceRoutes
import RaceLab
import Testing

@Suite struct PlayRestoreTests {
  private static let book = PlayEvent.choose("Alice's Adventures in Wonderland")
  private static let title = "Library › Catalogue › Alice's Adventures in Wonderland"

  private static func place(_ account: String, _ routes: String) -> String {
    """
    {"version": 1, "account": "\(account)", "stack": [{"route": {"home": {}}, "selected": 0,
     "tabs": [[{"route": {"catalogue": {}}}\(routes)]]}]}
    """
  }

  // The script ends before it is time to save, and in the middle of a gesture.
  // Prevents: a place that is kept only until the process ends, or is not the one that was left.
  @Test func place_isKeptAndStartedFrom() async throws {
    let folder = try TemporaryFolder()
    let script = try folder.write(
      (PlaySessionTests.joining
        + [PlayEvent.wait(nil), Self.book, .begin(nil)].map(\.line))
        .joined(separator: "\n").utf8, "day.jsonl")
    let place = folder.path("place.json")
    let first = try await MillraceProcess("play", "--script", script, "--restore", place)
    #expect(first.status == 0 && first.errors == "", "\(first.errors)")
    let saved = try SavedPlace<LibraryRoute>.read(Array((folder.text("place.json") ?? "").utf8))
    #expect(saved.place.account == Account("M1"))
    #expect(saved.place.stack.first?.tabs.first?.last?.route == .book(id: 11))

    let second = try await MillraceProcess("play", "--script", "/dev/null", "--restore", place)
    #expect(second.status == 0 && second.errors == "", "\(second.errors)")
    #expect(second.output.contains("   = \(Self.title)"))
    #expect(second.output.contains("the saved place is shown"))
    // A deliberate sign-out clears it.
    let leaving = try folder.write((PlayEvent.signOut.line + "\n").utf8, "out.jsonl")
    let third = try await MillraceProcess("play", "--script", leaving, "--restore", place)
    #expect(third.status == 0)
    #expect(third.output.contains("   = \(Self.title)"))
    #expect(!folder.names.contains("place.json"))
    #expect(folder.names.count == 2, "\(folder.names)")
  }

  // Prevents: a file that is lost because it was named by mistake, or bad bytes that trap.
  @Test(arguments: [
    ("nonsense", 65, "line 1, column 1: its first line is not as written"),
    ("{", 65, "is damaged"), ("[]", 65, "is damaged"),
    (#"{"version": 2, "stack": 7}"#, 65, "has version 2, and this app reads 1"),
    (#"{"version": "1", "account": "M1", "stack": []}"#, 65, "is damaged"),
    (#"{"version": 1, "account": 7, "stack": []}"#, 65, "is damaged"),
    (#"{"version": 1, "account": "M1", "stack": {}}"#, 65, "is damaged"),
    (#"{"version": 1, "account": "M1", "stack": []}"#, 65, "stack is empty"),
    (#"{"version": 1, "stack": [{"route": {"home": {}}}]}"#, 65, "does not say whose it is"),
    (#"{"version": 1, "account": "M0", "stack": [{"route": {"home": {}}}]}"#, 65, "M1, M2 and so"),
    (
      #"{"version": 1, "account": "M9223372036854775807", "stack": [{"route": {"home": {}}}]}"#, 65,
      "M1, M2 and so on"
    ),
    (
      #"{"version": 1, "account": "A\u001b[2J\n", "stack": [{"route": {"home": {}}}]}"#, 65,
      "belongs to \"A[2J"
    ),
    (
      #"{"version": 1, "account": "M1", "stack": [{"route": {"account": {}}}]}"#, 65,
      "begins at account, which is shown from elsewhere"
    ),
    (String(repeating: "[", count: 500_000), 65, "is damaged"),
    (#"{"version": 1, "stack": "# + String(repeating: "[", count: 500_000), 65, "is damaged"),
    (String(repeating: "a", count: 2_000_000), 66, "it has 2000000 bytes, and 1048576 are read"),
  ])
  func wrongPlace_isToldAndLeftAsItIs(_ saved: (text: String, status: Int32, why: String))
    async throws
  {
    let folder = try TemporaryFolder()
    let place = try folder.write(saved.text.utf8)
    let run = try await MillraceProcess("play", "--script", "/dev/null", "--restore", place)
    #expect(run.status == saved.status, "\(run.errors)")
    #expect(run.errors.contains(saved.why), "\(run.errors)")
    #expect(run.errors.contains("place.json"))
    #expect(run.errors.split(separator: "\n").count == 2, "\(run.errors)")
    #expect(run.output == "")
    #expect(folder.text("place.json") == saved.text)
    #expect(folder.names == ["place.json"])
  }

  // Prevents: bytes that are no text and trap.
  @Test func bytesThatAreNoText_areDamage() async throws {
    let folder = try TemporaryFolder()
    let text = Array(Self.place("M1", "").utf8)
    // Cut in the middle of a character, no UTF-8, a byte order mark.
    for bytes in [
      [0xFF, 0xFE, 0], text + [0xC3], [0xEF, 0xBB, 0xBF] + text, Array(text.dropLast(3)) + [0xC0],
    ] {
      let place = try folder.write(bytes)
      let run = try await MillraceProcess("play", "--script", "/dev/null", "--restore", place)
      #expect(run.status == 65, "\(run.errors)")
    }
  }

  // Prevents: a play of a whole day whose place can then not be kept; a device that is read for ever
  // or replaced.
  @Test func pathThatIsNoFile_endsBeforeThePlay() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x".utf8, "file")
    let script = try folder.write([], "day.jsonl")
    for (path, status, why) in [
      (folder.url.path, 66, "no file"), ("/dev/null", 66, "no file"), ("/dev/zero", 66, "no file"),
      (file + "/place.json", 66, "ot a directory"),
      (folder.path("none/place.json"), 74, "a folder that exists"),
      (folder.path(String(repeating: "a", count: 300)), 66, "too long"),
    ] {
      let run = try await MillraceProcess("play", "--script", script, "--restore", path)
      #expect(run.status == Int32(status), "\(path): \(run.errors)")
      #expect(run.errors.contains(why), "\(run.errors)")
      #expect(run.output == "")
    }
    #expect(folder.names.sorted() == ["day.jsonl", "file"])
  }

  // Prevents: an empty file, as mktemp makes it, that counts as damage.
  @Test func emptyFile_isABeginning() async throws {
    let folder = try TemporaryFolder()
    let place = try folder.write([])
    let run = try await MillraceProcess("play", "--script", "/dev/null", "--restore", place)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.output.contains("   = Sign in"))
  }

  // Prevents: a place that is cut, and nobody is told where, or what was before is lost.
  @Test(arguments: [
    (
      #", {"route": {"coupon": {"v": 3}}}, {"route": {"book": {"id": 11}}}"#,
      "unknown route: coupon"
    ),
    (#", {"route": {"book": {"id": 424242}}}"#, "book 424242 cannot be shown"),
    (
      #", {"route": {"book": {"id": "x"}}}"#,
      "line 2, column 68: stack[0].tabs[0][1].route.book.id must be a whole number, but is a string"
    ),
    (
      #"], [{"route": {"account": {}}}, 7"#,
      "line 2, column 72: stack[0].tabs[1][1] must be an object"
    ),
    (#"], ["#, "the saved place is mended: line 2, column 43: stack[0].tabs[1] is empty"),
  ])
  func cutPlace_isToldAndKeptBeside(_ cut: (routes: String, why: String)) async throws {
    let folder = try TemporaryFolder()
    let text = Self.place("M3", cut.routes)
    let place = try folder.write(text.utf8)
    let run = try await MillraceProcess(
      "play", "--script", "/dev/null", "--quiet", "--restore", place)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("place.json: \(cut.why)"), "\(run.errors)")
    #expect(run.errors.contains("place.json.before"))
    #expect(folder.text("place.json.before") == text)
    let rest = try SavedPlace<LibraryRoute>.read(Array((folder.text("place.json") ?? "").utf8))
    #expect(rest.reports.isEmpty && rest.place.account == Account("M3"))
    #expect(rest.place.stack.first?.tabs.first?.map(\.route) == [.catalogue])
    // The next launch has nothing to tell.
    let next = try await MillraceProcess(
      "play", "--script", "/dev/null", "--quiet", "--restore", place)
    #expect(next.status == 0 && next.errors == "", "\(next.errors)")
  }

  // Prevents: screens of a place that take each other's place, and are gone without a word.
  @Test func placesThatGiveWay_areToldAndKeptBeside() async throws {
    let folder = try TemporaryFolder()
    let books = [11, 16, 7].map { ", {\"route\": {\"book\": {\"id\": \($0)}}}" }.joined()
    let text = Self.place("M3", books)
    let place = try folder.write(text.utf8)
    let run = try await MillraceProcess(
      "play", "--script", "/dev/null", "--quiet", "--restore", place)
    #expect(run.status == 0, "\(run.errors)")
    for book in [11, 16] {
      #expect(
        run.errors.contains("book \(book) gave way to what was shown after it"), "\(run.errors)")
    }
    #expect(!run.errors.contains("book 7"))
    #expect(folder.text("place.json.before") == text)
    let rest = try SavedPlace<LibraryRoute>.read(Array((folder.text("place.json") ?? "").utf8))
    #expect(rest.place.stack.first?.tabs.first?.map(\.route) == [.catalogue, .book(id: 7)])
  }

  // Prevents: another reader's place that is shown, or is gone without a word.
  @MainActor @Test func otherAccountsPlace_isToldAndKeptBeside() async throws {
    let folder = try TemporaryFolder()
    let text = Self.place("A", #", {"route": {"book": {"id": 11}}}"#)
    let place = try folder.write(text.utf8)
    let file = try await PlaceFile(place, isInProcess: false)
    let told = try await Lab.run { lab in
      let session = await PlaySession(lab, catalogue: try Catalogue.builtIn(), seed: 1)
      var told: [PlaceFile.Fault] = []
      await session.keepPlace(in: file) { told.append($0) }
      for line in PlaySessionTests.joining { try await session.apply(PlayEvent(line: line)) }
      await session.savePlace()
      return told
    }
    #expect(told.count == 1)
    #expect(told.first?.what.contains("it is another account's") == true)
    #expect(told.first?.remedy.contains("Sign in as A") == true)
    #expect(folder.text("place.json.before") == text)
    let saved = try SavedPlace<LibraryRoute>.read(Array((folder.text("place.json") ?? "").utf8))
    #expect(saved.place.account == Account("M1"))
    #expect(saved.place.stack.first?.tabs.first?.map(\.route) == [.catalogue])
  }

  // Prevents: a lock that is gone when the app is started anew; a place that is lost behind it.
  @Test func lockedPlace_isUnlockedByThePIN() async throws {
    let folder = try TemporaryFolder()
    let place = try folder.write(Self.place("M1", #", {"route": {"book": {"id": 11}}}"#).utf8)
    let leaving = try folder.write(PlayEvent.lock.line.utf8, "lock.jsonl")
    func play(_ script: String) async throws -> MillraceProcess {
      let run = try await MillraceProcess("play", "--script", script, "--restore", place)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      return run
    }
    _ = try await play(leaving)
    let locked = folder.text("place.json")
    let waits = try await play("/dev/null")
    #expect(waits.output.contains("   = Library › Catalogue › Locked"))
    #expect(!waits.output.contains("BookPage"))
    #expect(folder.text("place.json") == locked)
    // Left while the place is still checked: nothing is lost of it.
    let typing = [PlayEvent.type("1815", field: "PIN").line, PlayEvent.choose("Unlock").line]
    _ = try await play(try folder.write(typing.joined(separator: "\n").utf8, "u.jsonl"))
    #expect(folder.text("place.json") == locked)
    let whole = typing + [PlayEvent.wait(nil).line]
    let shown = try await play(try folder.write(whole.joined(separator: "\n").utf8, "w.jsonl"))
    #expect(shown.output.contains("   = \(Self.title)"), "\(shown.output)")
    #expect(folder.text("place.json")?.contains("locked") == false)
    #expect(folder.names.count == 4, "\(folder.names)")
  }

  // Prevents: a link to the file that is replaced by a file of its own.
  @Test func linkToTheFile_staysALink() async throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(Self.place("M1", "").utf8, "target.json")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("place.json"), withDestinationPath: folder.path("target.json"))
    let before = folder.text("target.json")
    let run = try await MillraceProcess(
      "play", "--script", "/dev/null", "--restore", folder.path("place.json"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(folder.text("target.json") != before)
    let kind = try FileManager.default.attributesOfItem(atPath: folder.path("place.json"))[.type]
    #expect(kind as? FileAttributeType == .typeSymbolicLink)
  }

  // Prevents: a place that is kept by scripts only.
  @Test func place_isKeptInATerminal() async throws {
    let folder = try TemporaryFolder()
    let place = try folder.write(Self.place("M2", #", {"route": {"book": {"id": 11}}}"#).utf8)
    let run = try await TerminalRun(columns: 90, rows: 24, "--restore", place)
    _ = try await run.written(until: "The saved place is shown")
    try run.type("\u{1B}[Dl")
    _ = try await run.written(until: "Locked")
    try run.type("\u{3}")
    #expect(await run.status() == 0)
    let saved = try SavedPlace<LibraryRoute>.read(Array((folder.text("place.json") ?? "").utf8))
    #expect(saved.place.stack.first?.tabs.first?.map(\.route) == [.catalogue])
    #expect(saved.place.account == Account("M2"))
  }
}
