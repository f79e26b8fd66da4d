// Reading and printing links.

import Millrace
import MillraceRoutes
import RuleScenarios
import Testing

@Suite struct LinkTableTests {
  // Fault: two spellings of one link lead to two places, or to none.
  @Test(arguments: [
    ("tea://orders/7", Place.order(7)),
    ("tea:///orders/7", .order(7)),
    ("tea:/orders/7", .order(7)),
    ("TEA://orders/7", .order(7)),
    ("https://tea.example/orders/7", .order(7)),
    ("http://tea.example:80/orders/7", .order(7)),
    ("https://tea.example:443/orders/7", .order(7)),
    ("https://tea.example:/orders/7", .order(7)),
    ("https://tea.example:0443/orders/7", .order(7)),
    ("http://tea.example:000080/orders/7", .order(7)),
    ("HTTPS://Tea.Example/orders/7", .order(7)),
    ("https://t%65a.example/orders/7", .order(7)),
    ("https:\\\\tea.example\\orders\\7", .order(7)),
    ("https:tea.example/orders/7", .order(7)),
    ("  https://tea.example/orders/7\n", .order(7)),
    ("https://tea.example/or\tders/7", .order(7)),
    ("https://tea.example/orders/7/", .order(7)),
    ("https://tea.example/orders/./7", .order(7)),
    ("https://tea.example/chats/../orders/7", .order(7)),
    ("https://tea.example/chats/%2E%2e/orders/%2e/7", .order(7)),
    ("https://tea.example/orders/7#top", .order(7)),
    ("https://tea.example/orders/7?utm=1&utm=2", .order(7)),
    ("https://tea.example/%6Frders/%37", .order(7)),
    ("https://tea.example", .home),
    ("tea://", .home),
    ("tea:///", .home),
    ("https://tea.example/..", .home),
    ("tea://chats/a%2Fb", .chat("a/b")),
    ("tea://chats/%zz", .chat("%zz")),
    ("tea://chats/a+b", .chat("a+b")),
    ("tea://chats/Größe", .chat("Größe")),
    ("tea://chats/Gr%C3%B6%C3%9Fe", .chat("Größe")),
    ("tea://search?q=a+b", .search("a b", nil)),
    ("tea://search?format=audio&q=a%2Bb", .search("a+b", .audio)),
    ("tea://search?q=", .search("", nil)),
    ("tea://search?q", .search("", nil)),
    ("tea://suche/gr%C3%B6%C3%9Fe/3", .order(3)),
  ])
  func link_isReadAsTheStandardSays(_ text: String, _ place: Place) throws {
    let link = try Place.links.parse(text)
    #expect(link == Link(place))
    #expect(try Place.links.parse(Place.links.print(link)) == link)
    #expect(try Place.links.parse(Place.links.print(link, host: "tea.example")) == link)
  }

  // Fault: a link that is wrong is taken for another one, or refused without a word about the part.
  @Test(arguments: [
    ("", LinkError.noScheme("")),
    ("orders/7", .noScheme("orders/7")),
    ("7ea://orders", .noScheme("7ea://orders")),
    ("tea:orders/7", .noSlashes(scheme: "tea")),
    ("ftp://tea.example/", .unknownScheme("ftp", known: ["tea", "https"])),
    ("https://coffee.example/", .unknownHost("coffee.example", known: ["tea.example"])),
    ("https://tea.example./", .unknownHost("tea.example.", known: ["tea.example"])),
    ("https://tée.example/", .hostNotASCII("tée.example")),
    ("https:///", .damagedHost("")),
    ("https://tea%20.example/", .damagedHost("tea .example")),
    ("https://[::1]/orders", .unknownHost("[::1]", known: ["tea.example"])),
    ("https://[2001:DB8::1]:443/", .unknownHost("[2001:db8::1]", known: ["tea.example"])),
    ("https://[::1]:8080/", .notForLinks(part: "port")),
    ("https://[::1/", .damagedHost("[::1")),
    ("https://[tea]/", .damagedHost("[tea]")),
    ("https://[1]/", .damagedHost("[1]")),
    ("tea://orders:443/7", .notForLinks(part: "port")),
    ("https://[t::a]/", .damagedHost("[t::a]")),
    ("https://]/", .damagedHost("]")),
    ("https://tea.example:4430/", .notForLinks(part: "port")),
    ("https://tea.example:00/", .notForLinks(part: "port")),
    ("https://tea.example:44 3/", .notForLinks(part: "port")),
    ("https://me:pw@tea.example/orders", .notForLinks(part: "user or password")),
    ("tea://me@orders/7", .notForLinks(part: "user or password")),
    ("https://tea.example:8080/orders", .notForLinks(part: "port")),
    ("tea://orders//7", .emptyPart(2)),
    ("https://tea.example//orders", .emptyPart(1)),
    ("tea://orders/7//", .emptyPart(3)),
    ("tea://Orders/7", .unknownPath("/Orders/7")),
    ("tea://orders/7/8", .unknownPath("/orders/7/8")),
    ("tea://chats/%FF", .notUTF8(part: "part 2 of the path")),
    ("tea://search?q=%C3", .notUTF8(part: "the query item \"q\"")),
    (
      "tea://orders/seven",
      .wrongValue(
        part: "part 2 of the path (id)", value: "seven",
        expected: "a whole number that fits in 64 bits")
    ),
    (
      "tea://orders/+7",
      .wrongValue(
        part: "part 2 of the path (id)", value: "+7",
        expected: "a whole number that fits in 64 bits")
    ),
    ("tea://orders/0", .noPlace(pattern: "/orders/:id", values: ["id": "0"])),
    (
      "tea://search?q=a&format=film",
      .wrongValue(
        part: "the query item \"format\"", value: "film", expected: "one of paper, audio")
    ),
    ("tea://search", .missingItem("q", expected: "a text")),
    ("tea://search?q=a&q=b", .repeatedItem("q")),
    (
      "tea://orders?account=",
      .wrongValue(
        part: "the query item \"account\"", value: "", expected: "an account")
    ),
    // Composed in another way: equal to people, and to Swift's ==, and not to the standard.
    ("tea://suche/gro\u{308}ße/3", .unknownPath("/suche/gro\u{308}ße/3")),
  ])
  func wrongLink_isRefusedWithThePart(_ text: String, _ expected: LinkError) {
    let error = #expect(throws: LinkError.self) { try Place.links.parse(text) }
    #expect(error == expected)
    #expect(!"\(expected)".isEmpty)
  }

  // Fault: a link of a megabyte is read to the end.
  @Test func longLink_isRefusedByItsLength() {
    let text = "tea://chats/" + String(repeating: "a", count: 1_000_000)
    let error = #expect(throws: LinkError.self) { try Place.links.parse(text) }
    #expect(error == .tooLong(bytes: 1_000_012, limit: 8_192))
  }

  // Fault: what is printed is longer than what is read, and opens nothing.
  @Test(arguments: [8_180, 8_181]) func longLink_isNotPrinted(_ count: Int) throws {
    let link = Link(Place.chat(String(repeating: "a", count: count)))
    guard count > 8_180 else {
      #expect(try Place.links.parse(Place.links.print(link)) == link)
      return
    }
    let error = #expect(throws: LinkError.self) { try Place.links.print(link) }
    #expect(error == .tooLong(bytes: 8_193, limit: 8_192))
    #expect(throws: LinkError.self) { try Place.links.print(link, host: "tea.example") }
  }

  // Fault: a table of links that no link can have, or in which one item means two things, goes unnoticed.
  @Test func tableThatNoLinkFits_stopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = LinkTable<Place>(schemes: ["tea://"], [LinkPattern("/", .home)])
    }
    await #expect(processExitsWith: .failure) {
      _ = LinkTable<Place>(hosts: ["https://tea.example"], [LinkPattern("/", .home)])
    }
    await #expect(processExitsWith: .failure) {
      _ = LinkTable<Place>(hosts: ["t\u{e9}.example"], [LinkPattern("/", .home)])
    }
    await #expect(processExitsWith: .failure) {
      _ = LinkTable<Place>(
        schemes: ["tea"],
        [
          LinkPattern("/chats?account=:name", .value("name", as: String.self)) {
            .chat($0)
          } values: {
            if case .chat(let name) = $0 { name } else { nil }
          }
        ])
    }
    await #expect(processExitsWith: .failure) {
      _ = LinkPattern(
        "/chats/:name/:name", .value("name", as: String.self), .value("name", as: String.self)
      ) { name, _ in
        Place.chat(name)
      } values: { _ in
        nil
      }
    }
    await #expect(processExitsWith: .failure) {
      _ = LinkPattern(
        "/search?q=:text&q=:more", .value("text", as: String.self), .value("more", as: String.self)
      ) { text, _ in
        Place.search(text, nil)
      } values: { _ in
        nil
      }
    }
    await #expect(processExitsWith: .success) {
      _ = LinkTable<Place>(
        schemes: ["Tea+1"], hosts: ["TEA.example", "127.0.0.1", "xn--t-9fa.example"],
        accountItem: nil,
        [
          LinkPattern("/chats?account=:name", .value("name", as: String.self)) {
            .chat($0)
          } values: {
            if case .chat(let name) = $0 { name } else { nil }
          }
        ])
    }
  }

  // Fault: the account that a link is meant for is lost on the way.
  @Test func account_isReadAndPrinted() throws {
    let link = try Place.links.parse("https://tea.example/orders?account=b%40home")
    #expect(link == Link(.orders, for: Account("b@home")))
    #expect(try Place.links.print(link) == "tea://orders?account=b%40home")
    let open = LinkTable<Place>(schemes: ["tea"], accountItem: nil, [LinkPattern("/", .home)])
    #expect(try open.parse("tea:///?account=b") == Link(.home))
  }

  // Fault: a value that cannot stand in a path prints as a link to somewhere else.
  @Test(arguments: ["", ".", ".."])
  func unprintableValue_isRefused(_ name: String) {
    let error = #expect(throws: LinkError.self) { try Place.links.print(Link(.chat(name))) }
    #expect(
      error == .unprintableValue(part: "part 2 of the path (name)", value: name))
    let other = #expect(throws: LinkError.self) {
      try Place.links.print(Link(.checkout(Intent(key: "k"))))
    }
    if case .unprintable? = other {} else { Issue.record("\(String(describing: other))") }
  }

  // Fault: a message carries what moves a terminal's cursor, or a whole megabyte.
  @Test func message_isOneLine() {
    let error = #expect(throws: LinkError.self) {
      try Place.links.parse("tea://x\u{1B}[2J\u{202E}" + String(repeating: "y", count: 500))
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.count < 200)
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }

  // Fault: the way to a place is endless where two places name each other.
  @Test func way_isFiniteForARing() {
    enum Ring: Route {
      case a, b
      var parent: Ring? { self == .a ? .b : .a }
    }
    #expect(Ring.a.way == [.b, .a])
    struct Step: Route {
      let number: Int
      var parent: Step? { Step(number: number + 1) }
    }
    #expect(Step(number: 0).way.map(\.number) == (0..<64).reversed())
    #expect(Place.order(7).way == [.home, .orders, .order(7)])
  }
}
