// The places of an app, by name. One protocol of our own: in a client whose default isolation is
// the main actor, a type may conform to it where it may not to the bare composition.

/// A place in an app: a value that names a flow and can be saved.
///
/// ```swift
/// enum LibraryRoute: Route { case catalogue, book(Int), readingList }
/// ```
public protocol Route: Codable, Hashable, Sendable {}
