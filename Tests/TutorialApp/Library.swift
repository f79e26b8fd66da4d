/// A book of the library.
struct Book: Sendable, Equatable {
  let id: Int
  let title: String
}

/// What the app asks of the library.
protocol Library: Sendable {
  /// The books that can be lent.
  @concurrent func books() async throws -> [Book]
  /// For how many days a book is lent.
  @concurrent func term(of book: Int) async throws -> Int
}
