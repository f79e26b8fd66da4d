import Foundation
import RaceLab
import Testing

@Suite struct TokenTests {
  // Text from a log is cut off, wrapped or mistyped: each must be an error with a reason.
  @Test(arguments: ["", "rl1-", "rl1-!", "abc", "rl1-AAAA BBBB", "rl1-_____w", "rl1-AQAAAA"])
  func badToken_isAnError(text: String) throws {
    #expect(throws: TokenError.self) { try Token(text) }
  }

  // Space around a word comes with copying it.
  @Test func spaceAroundAToken_isIgnored() throws {
    let token = try Token("  rl1-AAAAAAAAAA\n")
    #expect(token.description == "rl1-AAAAAAAAAA")
  }

  // A reader that traps on some input ends the whole test run. `RACELAB_FUZZ` sets how many.
  @Test func anyText_isReadOrRefused() throws {
    var state: UInt64 = 42
    func random() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_ !")
    let inputs =
      ProcessInfo.processInfo.environment["RACELAB_FUZZ"].flatMap { Int($0) } ?? 20_000
    let whole = Array("rl1-gNMBAAIB_C8c0A")
    var read = 0
    for number in 0..<inputs {
      let count = Int(random() % 24)
      var text = "rl1-" + String((0..<count).map { _ in letters[Int(random()) % letters.count] })
      if number.isMultiple(of: 2) {
        // One that is a token, but for some letters.
        var damaged = whole
        for _ in 0...(random() % 3) {
          damaged[Int(random()) % damaged.count] = letters[Int(random()) % letters.count]
        }
        text = String(damaged.prefix(Int(random() % 24)))
      }
      if let token = try? Token(text) {
        read += 1
        let again = try Token(token.description)
        #expect(again == token)
      }
    }
    #expect(read > 0 && read < inputs)
  }
}
