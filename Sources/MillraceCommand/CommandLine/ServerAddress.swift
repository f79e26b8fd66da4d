// The address of a library server, as the command line has it.

import Foundation

extension Words {
  /// The address that --server needs: scheme, host, port, and a path that comes before that of a call.
  mutating func server(of word: Word) throws(UsageError) -> URL {
    let example = "http://127.0.0.1:8080"
    let text = try value(of: word, like: "an address, such as \(example)")
    func wrong(_ why: String) -> UsageError {
      UsageError(
        "--server: \"\(printable(text))\" \(why)", remedy: "Give one, such as --server \(example).")
    }
    guard let url = URLComponents(string: text), url.scheme == "http",
      let host = url.host, !host.isEmpty, let address = url.url
    else { throw wrong("is no address of a server") }
    // Not shown: what stands there may be a password.
    guard url.user == nil, url.password == nil else {
      throw UsageError(
        "--server: the address has a user in it, and the server knows none",
        remedy: "Leave out what stands before the @, such as --server \(example).")
    }
    guard url.query == nil, url.fragment == nil else {
      throw wrong("has a part after ? or #, and the address of a server has none")
    }
    // Read here: a number that is too large counts as none with Foundation.
    let authority = text.dropFirst("http://".count).prefix { $0 != "/" }
    let port = authority.lastIndex(of: ":").map { authority[authority.index(after: $0)...] }
    guard let port, !port.contains("]") else { return address }
    guard let number = Int(port), (1...65_535).contains(number) else {
      throw wrong("has a port that is none: there are 1 to 65535")
    }
    return address
  }
}
