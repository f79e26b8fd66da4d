// Sessions: what a user does in the app is what is on the screen, and a recorded day leads to the
// same end whenever it is played.

import Foundation
import LibraryApp
import Millrace
import MillraceCommand
import RaceLab
import Testing

@MainActor @Suite struct PlaySessionTests {
  /// Plays lines, and gives what was printed, and what was wrong.
  static func play(
    _ lines: [String], _ options: ScriptOptions = ScriptOptions(), seed: UInt64 = 1
  ) async throws -> (output: String, wrong: [ScriptRun.WrongLine], verdict: ScriptRun.Verdict) {
    try await Lab.run { lab in
      let session = await PlaySession(lab, catalogue: try Catalogue.builtIn(), seed: seed)
      var printed: [String] = []
      var wrong: [ScriptRun.WrongLine] = []
      var rest = Data(lines.map { $0 + "\n" }.joined().utf8)
      var run = ScriptRun(
        session, options, .init(happened: { printed.append($0) }, wrong: { wrong.append($0) }))
      let verdict = try await run.play(
        ScriptLines { count in
          defer { rest = Data(rest.dropFirst(count)) }
          return Data(rest.prefix(count))
        })
      return (printed.joined(separator: "\n"), wrong, verdict)
    }
  }

  nonisolated static let joining = [
    PlayEvent.choose("Become a member"), .type("Ada", field: "Name"), .choose("Next"),
    .type("1815", field: "PIN"), .choose("Next"), .wait(nil),
  ].map(\.line)

  // Prevents: an app that can only be looked at: a reader joins, lends a book, leafs, takes a note,
  // is asked before it is lost, opens a second window and signs out of both.
  @Test func day_canBePlayed() async throws {
    let day =
      Self.joining
      + [
        PlayEvent.choose("Lend a book"), .choose("Alice's Adventures in Wonderland"),
        .choose("Take it"), .wait(nil), .choose("Lend it"), .wait(nil),
        .choose("Alice's Adventures in Wonderland"), .wait(nil), .choose("Next book"), .letGo,
        .choose("Next book"), .complete, .begin(nil), .letGo, .back(nil),
        .select(tab: "Account"), .choose("Write a note"), .type("Lovely", field: "Text"),
        .swipe(nil),
        .choose("Keep"), .back(nil), .choose("Discard"),
        .choose("Alice's Adventures in Wonderland"),
        .wait(nil), .openWindow, .wait(nil), .select(tab: "Account"), .choose("Sign out"),
        .choose("Sign out"), .wait(nil),
      ].map(\.line)
    let (output, wrong, verdict) = try await Self.play(day, ScriptOptions(isStrict: true))
    #expect(wrong.isEmpty)
    #expect(verdict == .played)
    let places = output.split(separator: "\n").filter { $0.hasPrefix("   = ") }.map {
      $0.dropFirst(5)
    }
    #expect(places.last == "window 2: Sign in")
    #expect(places.contains("Library › Catalogue › Through the Looking-Glass"))
    #expect(places.contains("Library › Account › A note › Discard the note?"))
    #expect(output.contains("2 flows and 0 tasks are alive."))
    #expect(!output.contains("refused"))
  }

  // Prevents: a wrong line that ends the day, or one that does not although it should.
  @Test func wrongLine_isToldAndPassedOver() async throws {
    let lines = ["nonsense", PlayEvent.openWindow.line, PlayEvent.choose("Fly").line, "", "{}"]
    let free = try await Self.play(lines)
    #expect(free.wrong.map(\.number) == [1, 3, 5])
    #expect(free.wrong[1].what == "\"Fly\" is not on this screen")
    #expect(free.wrong[1].remedy == "There are \"Card\", \"PIN\", \"Become a member\".")
    #expect(free.verdict == .played)
    #expect(free.output.contains("1 events were played, 3 lines were wrong."))
    let strict = try await Self.play(lines, ScriptOptions(isStrict: true))
    #expect(strict.wrong.map(\.number) == [1])
    #expect(strict.verdict == .stopped)
  }

  // Prevents: an event that cannot be done and does something, or says nothing of use.
  @Test func eventThatCannotBeDone_changesNothing() async throws {
    let table: [(PlayEvent, String)] = [
      (.choose("Sign in"), "\"Sign in\" cannot be used now"),
      (.choose("PIN"), "\"PIN\" is a field"),
      (.type("x", field: "Become a member"), "\"Become a member\" is no field"),
      (.select(tab: "Account"), "there is no tab \"Account\" here"),
      (.back(nil), "Sign in cannot be taken away"), (.swipe(nil), "Sign in cannot be taken away"),
      (.begin(nil), "Sign in cannot be taken away"), (.letGo, "no gesture is going on"),
      (.complete, "no gesture is going on"), (.signOut, "nobody is signed in"),
      (.lock, "nobody is signed in"),
      (.useWindow(2), "there is no window 2"), (.closeWindow, "this is the last window"),
    ]
    let (output, wrong, _) = try await Self.play(table.map(\.0.line))
    #expect(wrong.map(\.what) == table.map(\.1))
    #expect(wrong.allSatisfy { !$0.remedy.isEmpty })
    #expect(output.contains("0 events were played"))
    #expect(output.contains("1 flows and 0 tasks are alive."))
  }

  // Prevents: another event in the middle of a gesture, and a late report that takes a screen along.
  @Test func gesture_holdsTheHand() async throws {
    let lines =
      Self.joining
      + [
        PlayEvent.wait(nil), .choose("Emma"), .choose("Moby-Dick; or, The Whale"), .begin(nil),
        .choose("Next book"), .back(nil), .swipe(nil), .begin(nil), .letGo,
        .swipe(FlowID(rawValue: 3)), .back(FlowID(rawValue: 3)),
      ].map(\.line)
    let (output, wrong, _) = try await Self.play(lines)
    #expect(wrong.map(\.number) == [8, 11, 12, 13, 14])
    #expect(wrong.dropFirst().allSatisfy { $0.what == "a gesture is going on" })
    #expect(output.contains("BookPage"))
    #expect(output.contains("refused 1 times, unknownFlow"))
    #expect(output.contains("refused 1 times, commandRefused"))
  }

  // Prevents: signed out while the user holds a screen: bare numbers for titles, and nothing that says
  // what to do.
  @Test func screenHeldAfterItsEnd_isNamedAndSaysHowToLeave() async throws {
    let text = try await Lab.run { lab in
      let session = await PlaySession(lab, catalogue: try Catalogue.builtIn(), seed: 1)
      for line in Self.joining { try await session.apply(PlayEvent(line: line)) }
      for event in [
        PlayEvent.wait(nil), .choose("The United States Constitution"), .begin(nil), .signOut,
      ] {
        try await session.apply(event)
      }
      return session.picture().drawn(width: 60, height: 20).text
    }
    #expect(
      text.contains("The United States Constitution") && text.contains("leaves when you"),
      "\(text)")
    #expect(!text.contains("#"), "\(text)")
  }

  /// A random day: its events as lines, what was printed while it was played, and how often each
  /// kind of event came.
  private struct RandomDay: Sendable {
    var lines: [String] = []
    var kinds: [String: Int] = [:]
    var ending = ""
  }

  private static func randomDay(seed: UInt64, events: Int) async throws -> RandomDay {
    try await Lab.run { lab in
      let session = await PlaySession(lab, catalogue: try Catalogue.builtIn(), seed: seed)
      var user = RandomUser(seed: seed)
      var day = RandomDay()
      while day.lines.count < events {
        let event = user.next(session)
        do {
          try await session.apply(event)
        } catch { continue }
        if let fault = session.fault { throw Different(fault: fault, after: day.lines) }
        day.lines.append(event.line)
        day.kinds[String(describing: event).prefix { $0 != "(" }.description, default: 0] += 1
        try lab.require(
          session.picture(pane: .beside).drawn(width: 90, height: 24).rows.count == 24)
      }
      day.ending = session.runtime.tree
      return day
    }
  }

  struct Different: Error { let fault: String, after: [String] }

  // Prevents: a day that ends otherwise when it is played again: in this process, or in another one,
  // where hashes have other seeds.
  @Test func recordedDay_leadsToTheSameEnd() async throws {
    let day = try await Self.randomDay(seed: 17, events: 1_000)
    #expect(day.kinds.count == 15, "each kind of event should have come: \(day.kinds)")
    let first = try await Self.play(day.lines, seed: 17)
    let second = try await Self.play(day.lines, seed: 17)
    #expect(first.wrong.isEmpty)
    #expect(first.output == second.output)
    #expect(first.output.contains("1000 events were played, 0 lines were wrong."))
    #expect(first.output.contains(day.ending))
    #expect(first.output.contains("LoanConfirmation"), "the day should have come to a loan")
    #expect(first.output.contains("link routed"), "a link should have been followed")

    let script = try TemporaryFile(day.lines.joined(separator: "\n"))
    let run = try await MillraceProcess("play", "--script", script.path, "--strict", "--seed", "17")
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.output == first.output + "\n")
  }

  // Prevents: any order of events by which tree, window and host come apart.
  @Test(arguments: 1...8) func randomDays_keepHostAndTreeAlike(seed: Int) async throws {
    _ = try await Self.randomDay(seed: UInt64(seed), events: 150)
  }
}
