// The places of an app, by name. One protocol of our own: in a client whose default isolation is
// the main actor, a type may conform to it where it may not to the bare composition.

import Millrace

/// A place in an app: a value that names a flow and can be saved. It says where the flow is shown
/// from, and what it needs; the flow above it makes it, see `RoutedFlow`.
///
/// ```swift
/// enum LibraryRoute: Route {
///   case home, catalogue, book(Int)
///
///   var parent: LibraryRoute? {
///     switch self {
///     case .home: nil
///     case .catalogue: .home
///     case .book: .catalogue
///     }
///   }
/// }
/// ```
///
/// A saved place has a route in the form that its `Codable` gives it. Where the compiler writes that, a
/// case is an object with its name, and in it the values by their labels; a value without a label has the
/// name `_0`, the next `_1`: `.home` is `{"home": {}}`, `.book(7)` is `{"book": {"_0": 7}}`, and
/// `.book(id: 7)` is `{"book": {"id": 7}}`. So names and labels belong to the format: a case that is
/// renamed, or is given a label later, cuts the places that were saved before. Labels from the beginning
/// are easier to read and to keep.
///
/// Two routes that are equal are one place: it is checked once and shown once. Texts are equal in Swift also
/// where only their characters are, and not their bytes: an id for which that makes a difference is better a
/// value with an `==` of its own.
///
/// A route with something in it that is not Codable does not compile; `Transient` declares that it
/// is not to be saved.
public protocol Route: Codable, Hashable, Sendable {
  /// The place that it is shown from; nil for the root of a window. By default nil.
  var parent: Self? { get }
  /// What has to be so before it is shown, and all below it. By default somebody is signed in, and
  /// the app is not locked.
  var needs: RouteNeeds { get }
  /// True for a place that is not restored: a saved path ends before it. By default false.
  var isTransient: Bool { get }
}

extension Route {
  /// Nil.
  public var parent: Self? { nil }
  /// `RouteNeeds.standard`.
  public var needs: RouteNeeds { .standard }
  /// False.
  public var isTransient: Bool { false }

  /// The way to this place, the root first. A route whose parents go round in a ring, or are more
  /// than 64, has the nearest of them.
  public var way: [Self] {
    var way = [self]
    while let parent = way.last?.parent, way.count < 64, !way.contains(parent) {
      way.append(parent)
    }
    return way.reversed()
  }
}

/// What a place needs.
public struct RouteNeeds: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Makes a set of bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Somebody is signed in.
  public static let session = RouteNeeds(rawValue: 1)
  /// The app is not locked.
  public static let unlocked = RouteNeeds(rawValue: 2)
  /// Permission, and a target that exists: the check of the `LinkRouter` is asked.
  public static let check = RouteNeeds(rawValue: 4)
  /// All of it.
  public static let standard: RouteNeeds = [.session, .unlocked, .check]
}

/// Something in a route that cannot be saved, such as an image that was just taken. A route with it
/// compiles, and a saved path ends before it.
public struct Transient<Value: Hashable & Sendable>: Hashable, Sendable, Codable {
  /// What cannot be saved.
  public var value: Value

  /// Wraps a value.
  public init(_ value: Value) { self.value = value }

  /// Throws: there is nothing to read.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "transient: it is never saved"))
  }

  /// Throws: it is not to be saved.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, .init(codingPath: encoder.codingPath, debugDescription: "transient: it is not saved"))
  }
}
