// Links made at random: of the pieces that links are made of, cut, doubled, mixed and damaged.
// MILLRACE_FUZZ says how many; see Links.md.

import Foundation
import Millrace
import MillraceRoutes
import RaceLab
import RuleScenarios
import Testing

/// How many cases a fuzz test makes: fewer in a debug build, which is a tenth as fast.
#if DEBUG
  private let usualFuzzCount = 3_000
#else
  private let usualFuzzCount = 30_000
#endif
let fuzzCount =
  ProcessInfo.processInfo.environment["MILLRACE_FUZZ"].flatMap { Int($0) } ?? usualFuzzCount

extension SplitMix64 {
  /// Numbers of a fixed seed: a case can be made again by its number.
  init(case number: UInt64) { self.init(seed: number &* 0x9E37_79B9_7F4A_7C15 &+ 1) }
}

@Suite struct LinkFuzzTests {
  private static let pieces = [
    "tea", "https", "http", ":", "/", "//", "///", "\\", "?", "&", "=", "#", "%", "%2F", "%2e",
    "%00", "%FF", "%C3%A9", "%zz", ".", "..", "@", "[", "]", "+", " ", "\t", "\n", "\0", "é",
    "e\u{301}",
    "\u{202E}", "👩‍👩‍👧", "tea.example", "TEA.EXAMPLE", "orders", "orders/7", "chats/", "search?q=a",
    "format=audio", "account=B", "q=", "7", "-7", "0", "99999999999999999999", "a", ":80", "xn--",
    "\u{FEFF}", "\u{0130}", "suche/größe/3", "help", "payments/5",
  ]

  static func link(_ numbers: inout SplitMix64) -> String {
    var text =
      ["tea://", "https://tea.example/", "tea:/", "", "https:"].randomElement(
        using: &numbers) ?? ""
    for _ in 0..<Int.random(in: 0...8, using: &numbers) {
      text += pieces.randomElement(using: &numbers) ?? ""
    }
    switch Int.random(in: 0..<40, using: &numbers) {
    case 0: text = String(text.prefix(Int.random(in: 0...12, using: &numbers)))
    case 1: text += String(repeating: "../", count: 3_000)
    case 2: text += String(repeating: "a/", count: 5_000)
    case 3: text += "?" + String(repeating: "q=1&", count: 2_000)
    case 4: text += String(repeating: "%", count: 4_000)
    case 5...12:
      var bytes = Array(text.utf8)
      for _ in 0...Int.random(in: 0...3, using: &numbers) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(
          in: 0...255, using: &numbers)
      }
      text = String(decoding: bytes, as: UTF8.self)
    default: break
    }
    return text
  }

  // Fault: a link from outside traps, takes for ever, is refused without a word, or prints as
  // another place than it was read as.
  @Test func links_areReadOrRefused() throws {
    var read = 0
    var refused: Set<String> = []
    for number in 0..<fuzzCount {
      var numbers = SplitMix64(case: UInt64(number))
      let text = LinkFuzzTests.link(&numbers)
      do {
        let link = try Place.links.parse(text)
        read += 1
        let again = try Place.links.parse(Place.links.print(link))
        let universal = try Place.links.parse(Place.links.print(link, host: "tea.example"))
        guard again == link, universal == link else {
          Issue.record("case \(number): \(text) is \(link), then \(again), \(universal)")
          return
        }
        // What is kept of it is not more than it had.
        guard text.utf8.count <= 8_192, link.keptBytes <= text.utf8.count else {
          Issue.record("case \(number): \(link.keptBytes) bytes are kept of \(text.utf8.count)")
          return
        }
      } catch {
        let why = "\(error)"
        guard why.utf8.count < 1_000, error.namesItsPart(why), why.isOneLine else {
          Issue.record("case \(number): \(text) is refused with \(why)")
          return
        }
        // Of a huge one nothing is kept but its length.
        if text.utf8.count > 8_192 {
          guard error == .tooLong(bytes: text.utf8.count, limit: 8_192) else {
            Issue.record("case \(number): \(text.utf8.count) bytes are refused with \(why)")
            return
          }
        }
        refused.insert(String("\(error)".prefix(12)))
      }
    }
    // Both happen, and for many reasons: else this tests nothing.
    #expect(read > fuzzCount / 20)
    #expect(refused.count >= 8)
  }

  // Property: what is printed is read as what was printed, for places of any text.
  @Test func print_andParseAreInverse() throws {
    let letters = Array("abcXYZ019-._~ /?#[]@!$&'()*+,;=%é\u{301}ß中👍\0\n\t\\\"<>^`{|}")
    for number in 0..<fuzzCount {
      var numbers = SplitMix64(case: UInt64(number))
      let text = String(
        (0..<Int.random(in: 1...12, using: &numbers)).compactMap { _ in
          letters.randomElement(using: &numbers)
        })
      let route: Place =
        switch number % 4 {
        case 0: .chat(text)
        case 1: .order(Int.random(in: 1 ... .max, using: &numbers))
        case 2: .search(text, [nil, .paper, .audio].randomElement(using: &numbers) ?? nil)
        default: .payment(Int.random(in: .min ... .max, using: &numbers))
        }
      if [".", ".."].contains(text), number % 4 == 0 { continue }
      let account = Bool.random(using: &numbers) ? Account(text) : nil
      let link = Link(route, for: account)
      let own = try Place.links.parse(Place.links.print(link))
      let universal = try Place.links.parse(Place.links.print(link, host: "tea.example"))
      guard own == link, universal == link else {
        Issue.record("case \(number): \(link) is read as \(own) and \(universal)")
        return
      }
    }
  }
}
