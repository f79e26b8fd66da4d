// All links of an app: one table that reads and prints. Reading what was printed gives the place
// that was printed, and printing what was read names the same place.

import Millrace

/// A place in the app, as a link names it.
public struct Link<R: Route>: Hashable, Sendable {
  /// The place.
  public var route: R
  /// The account that it is meant for; nil for whoever is there.
  public var account: Account?

  /// Makes a link.
  public init(_ route: R, for account: Account? = nil) {
    self.route = route
    self.account = account
  }
}

/// The links of an app.
///
/// ```swift
/// let links = LinkTable(schemes: ["millrace"], hosts: ["library.example"], [
///   LinkPattern("/", Place.home),
///   LinkPattern("/books/:id", .value("id", as: Int.self)) { .book($0) } values: { … },
/// ])
/// let link = try links.parse("https://library.example/books/7")
/// ```
///
/// Links are read as the URL standard says: scheme and host without regard to case, the path with;
/// percent codes are decoded part by part; letters are compared by their bytes. Two rules are the
/// table's own: a slash at the end of the path does not count, and query items that no pattern names
/// are passed over. Of an app's own scheme the host is the first part of the path.
public struct LinkTable<R: Route>: Sendable {
  /// The app's own schemes, in lower case.
  public let schemes: [String]
  /// The hosts of its universal links, in lower case and ASCII.
  public let hosts: [String]
  private let patterns: [LinkPattern<R>]
  private let accountItem: String?

  /// Makes a table. Of two patterns that fit a link the first is taken; in printing too.
  ///
  /// It is written in code: a scheme or a host that no link can have, and a pattern with a query item of
  /// the name of `accountItem`, stop the program when the table is made.
  ///
  /// - Parameters:
  ///   - schemes: the app's own, such as "shop", without colon and slashes.
  ///   - hosts: those of its universal links, such as "shop.example", without port and path. One with
  ///     other letters than ASCII has its xn-- form.
  ///   - accountItem: the query item in which a link names its account; nil for none.
  ///   - patterns: the links and their routes, the ones that count first at the front.
  public init(
    schemes: [String] = [], hosts: [String] = [], accountItem: String? = "account",
    _ patterns: [LinkPattern<R>]
  ) {
    self.schemes = schemes.map { $0.lowercased() }
    self.hosts = hosts.map { $0.lowercased() }
    self.accountItem = accountItem
    self.patterns = patterns
    for scheme in self.schemes {
      precondition(
        LinkAddress.isScheme(Array(scheme.utf8)[...]), "\(quoted(scheme)) is no scheme; write shop")
    }
    for host in self.hosts {
      precondition(
        (try? LinkAddress("https://\(host)/"))?.host == host,
        "\(quoted(host)) is no host of links; write shop.example, in ASCII, without port and path")
    }
    for pattern in patterns {
      precondition(
        !pattern.shape.items.contains { $0.name == accountItem },
        "the query item \(accountItem ?? "") of \(pattern.text) names the account of a link; name "
          + "one of them otherwise, or let accountItem be nil")
    }
  }

  // MARK: - Reading

  /// Reads a link. Costs at most as much as there are patterns, whatever the text is.
  ///
  /// - Throws: `LinkError` with the part that is wrong.
  public func parse(_ text: String) throws(LinkError) -> Link<R> {
    let address: LinkAddress
    do throws(LinkError) { address = try LinkAddress(text) } catch {
      // Of a scheme that is not the app's, slashes would not help.
      guard case .noSlashes(let scheme) = error, !schemes.contains(scheme) else { throw error }
      throw unknown(scheme)
    }
    if address.isWeb, !schemes.contains(address.scheme) {
      let host = address.host ?? ""
      guard hosts.contains(host) else { throw .unknownHost(host, known: hosts) }
    } else if !schemes.contains(address.scheme) {
      throw unknown(address.scheme)
    }
    let items = Items(address.query)
    var first: LinkError?
    for pattern in patterns {
      guard let texts = pattern.shape.match(address.parts) else { continue }
      do {
        let route = try pattern.read(try items.add(pattern.shape.items, to: texts))
        return Link(route, for: try account(in: items))
      } catch {
        first = first ?? error
      }
    }
    throw first ?? .unknownPath("/" + address.parts.joined(separator: "/"))
  }

  private func unknown(_ scheme: String) -> LinkError {
    .unknownScheme(scheme, known: schemes + (hosts.isEmpty ? [] : ["https"]))
  }

  private func account(in items: Items) throws(LinkError) -> Account? {
    guard let accountItem, let name = try items.value(of: accountItem) else { return nil }
    guard !name.isEmpty else {
      throw .wrongValue(
        part: "the query item \"\(accountItem)\"", value: "", expected: "an account")
    }
    return Account(name)
  }

  // MARK: - Printing

  /// Prints a link of the app's first scheme, or its first host if it has none.
  ///
  /// - Throws: `LinkError` if no pattern prints the place, or the link is longer than one that is read.
  public func print(_ link: Link<R>) throws(LinkError) -> String {
    if let scheme = schemes.first { return try print(link, scheme: scheme) }
    if let host = hosts.first { return try print(link, host: host) }
    throw .unknownScheme("", known: [])
  }

  /// Prints a link of this scheme of the app.
  public func print(_ link: Link<R>, scheme: String) throws(LinkError) -> String {
    let (path, query) = try body(of: link)
    return try short("\(scheme)://" + (path.isEmpty ? "/" : path.joined(separator: "/")) + query)
  }

  /// Prints a universal link.
  public func print(_ link: Link<R>, host: String) throws(LinkError) -> String {
    let (path, query) = try body(of: link)
    return try short("https://\(host)/" + path.joined(separator: "/") + query)
  }

  private func short(_ text: String) throws(LinkError) -> String {
    guard text.utf8.count <= LinkAddress.limit else {
      throw .tooLong(bytes: text.utf8.count, limit: LinkAddress.limit)
    }
    return text
  }

  private func body(of link: Link<R>) throws(LinkError) -> (path: [String], query: String) {
    for pattern in patterns {
      guard let texts = pattern.write(link.route) else { continue }
      var path: [String] = []
      for part in pattern.shape.parts {
        switch part {
        case .literal(let literal): path.append(PercentCoding.encode(literal))
        case .parameter(let name):
          let text = texts[name] ?? ""
          // The standard takes dots for steps, encoded or not, and an empty part for none.
          guard !["", ".", ".."].contains(text) else {
            throw .unprintableValue(part: pattern.shape.place(of: name), value: text)
          }
          path.append(PercentCoding.encode(text))
        }
      }
      var items = pattern.shape.items.compactMap { item in
        texts[item.parameter].map { (item.name, $0) }
      }
      if let account = link.account, let accountItem { items.append((accountItem, account.id)) }
      let query = items.map { PercentCoding.encode($0) + "=" + PercentCoding.encode($1) }
      return (path, query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
    throw .unprintable(route: "\(link.route)")
  }
}

/// The query items of one link, decoded as those of a form.
private struct Items {
  /// In order. The value is nil if it is not UTF-8.
  private var items: [(name: String, value: String?)] = []

  init(_ query: ArraySlice<UInt8>) {
    for item in query.split(separator: UInt8(ascii: "&")) {
      let sides = item.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(sides[0], plusIsSpace: true) else { continue }
      let value = sides.count > 1 ? sides[1] : []
      items.append((name, PercentCoding.decode(value, plusIsSpace: true)))
    }
  }

  /// The value of an item that may be there once.
  func value(of name: String) throws(LinkError) -> String? {
    let found = items.filter { $0.name.utf8.elementsEqual(name.utf8) }
    guard found.count <= 1 else { throw .repeatedItem(name) }
    guard let item = found.first else { return nil }
    guard let value = item.value else { throw .notUTF8(part: "the query item \"\(name)\"") }
    return value
  }

  /// The texts with those of the items that a pattern names.
  func add(
    _ wanted: [(name: String, parameter: String)], to texts: [String: String]
  ) throws(LinkError) -> [String: String] {
    var texts = texts
    for item in wanted {
      if let value = try value(of: item.name) { texts[item.parameter] = value }
    }
    return texts
  }
}
