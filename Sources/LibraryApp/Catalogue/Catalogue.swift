// The books that can be chosen, in their recorded order. That numbers are unique is checked once,
// here: whoever holds a `Catalogue` need not ask again.

/// Books with unique numbers, in the order they were given.
package struct Catalogue: Sendable, Equatable {
  /// All books, in order.
  package let books: [Book]
  private let positions: [Book.ID: Int]
  private let sharedTitles: Set<String>

  /// Takes `books` as they are.
  ///
  /// - Throws: ``DuplicateBooks`` naming each number that comes more than once.
  package init(_ books: [Book]) throws(DuplicateBooks) {
    var positions: [Book.ID: Int] = [:]
    var duplicates: [DuplicateBooks.Pair] = []
    var titles: Set<String> = []
    var sharedTitles: Set<String> = []
    for (position, book) in books.enumerated() {
      if let first = positions[book.id] {
        duplicates.append(
          .init(
            id: book.id, first: first, firstTitle: books[first].displayTitle,
            second: position, secondTitle: book.displayTitle))
      } else {
        positions[book.id] = position
      }
      let title = book.displayTitle
      if !titles.insert(title).inserted { sharedTitles.insert(title) }
    }
    guard duplicates.isEmpty else { throw DuplicateBooks(pairs: duplicates) }
    self.books = books
    self.positions = positions
    self.sharedTitles = sharedTitles
  }

  private init(unique books: [Book], positions: [Book.ID: Int], sharedTitles: Set<String>) {
    self.books = books
    self.positions = positions
    self.sharedTitles = sharedTitles
  }

  /// A catalogue without books.
  package static let empty = Catalogue(unique: [], positions: [:], sharedTitles: [])

  /// The book of that number, if there is one.
  package subscript(id: Book.ID) -> Book? { positions[id].map { books[$0] } }

  /// How a book is named in a list of one-line titles: its title, and its number where another book
  /// has the same title; "book 7" where the number is unknown here.
  package func label(of id: Book.ID) -> String {
    guard let title = self[id]?.displayTitle else { return "book \(id)" }
    return sharedTitles.contains(title) ? "\(title) (no. \(id))" : title
  }

  /// The same books without those that `isIncluded` turns down, under the labels they had.
  package func filter(_ isIncluded: (Book) -> Bool) -> Catalogue {
    let kept = books.filter(isIncluded)
    var positions: [Book.ID: Int] = [:]
    for (position, book) in kept.enumerated() { positions[book.id] = position }
    return Catalogue(unique: kept, positions: positions, sharedTitles: sharedTitles)
  }
}

/// Two books that claim one number.
package struct DuplicateBooks: Error, Equatable, Sendable, CustomStringConvertible {
  /// A number, and the two places (counted from 0) where it stands.
  package struct Pair: Equatable, Sendable {
    package let id: Book.ID
    package let first: Int
    package let firstTitle: String
    package let second: Int
    package let secondTitle: String
  }

  /// Each repeated number: its first place, and the place that repeats it. Never empty.
  package let pairs: [Pair]

  package var description: String {
    listed(pairs) { pair in
      "id \(pair.id) stands in record \(pair.first + 1) (\(quoted(pair.firstTitle))) "
        + "and again in record \(pair.second + 1) (\(quoted(pair.secondTitle)))"
    }
  }
}
