// Why a text is no link of the app, with the part that is wrong. Keeps R35: nothing read from
// outside can trap, and each refusal says why.

import MillraceFiles

/// Why a link cannot be read or printed.
public enum LinkError: Error, Hashable, Sendable {
  /// It has more bytes than a link may have.
  case tooLong(bytes: Int, limit: Int)
  /// It has no scheme in front.
  case noScheme(String)
  /// The app has no links of this scheme.
  case unknownScheme(String, known: [String])
  /// The app has no links of this host.
  case unknownHost(String, known: [String])
  /// The host has other letters than ASCII.
  case hostNotASCII(String)
  /// The host has characters that no host has, or none at all.
  case damagedHost(String)
  /// It names a user, a password or a port.
  case notForLinks(part: String)
  /// A scheme of an app is followed by something else than slashes.
  case noSlashes(scheme: String)
  /// Two slashes with nothing between; the parts of the path count from 1.
  case emptyPart(Int)
  /// Percent codes that are not UTF-8.
  case notUTF8(part: String)
  /// No pattern has this path.
  case unknownPath(String)
  /// A value is not what the pattern says.
  case wrongValue(part: String, value: String, expected: String)
  /// A query item that the pattern needs is not there.
  case missingItem(String, expected: String)
  /// A query item is there twice.
  case repeatedItem(String)
  /// The values, by the names of their parameters, are of the right kind, and name no place.
  case noPlace(pattern: String, values: [String: String])
  /// No pattern prints this route.
  case unprintable(route: String)
  /// This value cannot stand in a path: empty, or one or two dots.
  case unprintableValue(part: String, value: String)
}

extension LinkError: CustomStringConvertible {
  /// What is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .tooLong(let bytes, let limit):
      "the link has \(bytes) bytes, and \(limit) are read at most; shorten it"
    case .noScheme(let text): "\(quoted(text)) has no scheme; write it as scheme://path"
    case .unknownScheme(let scheme, let known):
      "the scheme \(quoted(scheme)) is not one of this app; use \(listed(known))"
    case .unknownHost(let host, let known):
      "the host \(quoted(host)) is not one of this app; use \(listed(known))"
    case .hostNotASCII(let host):
      "the host \(quoted(host)) is not in ASCII; write its xn-- form"
    case .damagedHost(let host): "\(quoted(host)) is no host; write https://host/path"
    case .notForLinks(let part): "a link of this app has no \(part); leave it out"
    case .noSlashes(let scheme): "\(scheme): is not followed by slashes; write \(scheme)://path"
    case .emptyPart(let number):
      "part \(number) of the path is empty; write one slash instead of two"
    case .notUTF8(let part): "the percent codes in \(part) are not UTF-8; encode it anew"
    case .unknownPath(let path):
      "no place has the path \(quoted(path)); check its spelling and case"
    case .wrongValue(let part, let value, let expected):
      "\(part) is \(quoted(value)) and should be \(expected); put one there"
    case .missingItem(let item, let expected):
      "the query item \(quoted(item)) is missing; add ?\(item)= and \(expected)"
    case .repeatedItem(let item): "the query item \(quoted(item)) is there twice; leave one out"
    case .noPlace(let pattern, let values):
      "no place of \(pattern) has \(written(values)); put another value there"
    case .unprintable(let route):
      "no pattern prints the route \(quoted(route)); add one to the table"
    case .unprintableValue(let part, let value):
      "\(part) is \(quoted(value)), which cannot stand in a path; use a query item for it"
    }
  }
}

private func written(_ values: [String: String]) -> String {
  values.isEmpty
    ? "no values"
    : values.sorted { $0.key < $1.key }.map { "\($0.key) \(quoted($0.value))" }.joined(
      separator: ", ")
}

private func listed(_ names: [String]) -> String {
  names.isEmpty ? "none: it has no links" : names.joined(separator: " or ")
}

/// A text from outside in quotation marks, and shorter.
func quoted(_ text: String) -> String { "\"\(legible(text, most: 61))\"" }
