// The server of a tour, before the day begins: whether it answers, has the same books, and has enough of
// them on the shelf. Else each step would wait in vain, or find loans of another day.

import Foundation
import LibraryApp

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A library server that a tour is to talk to.
struct TourServer {
  let url: URL
  /// Seconds without a byte of an answer, after which a call of a tour fails.
  static let patience: TimeInterval = 10

  /// Why there is no tour.
  struct Unfit: Complaint {
    let what: String
    let remedy: String
    var status = ExitStatus.unavailable
  }

  /// The first of these books that nobody has on loan.
  ///
  /// - Parameter books: all that the library has, in any order.
  func shelf(of books: [Book], _ count: Int) async throws(Unfit) -> [Book] {
    let catalogue = try await catalogue()
    guard Set(catalogue.books) == Set(books) else {
      throw Unfit(
        what: "the server at \(name) has other books than this tour",
        remedy: "Start it with the same ones: both have an option --catalogue FILE.",
        status: .wrongData)
    }
    let found: [Book]
    do {
      found = try await available(of: books, count)
    } catch let error as LibraryError where error.isPassing {
      throw Unfit(
        what: "the library at \(name) does not serve the tour: \(error)",
        remedy: "Start the tour again; with --faults a server mistreats a tour, too.")
    } catch {
      throw Unfit(
        what: "the server at \(name) does not do what a library does: \(error)",
        remedy: "Give the address of a library server.")
    }
    guard found.count == count else {
      throw Unfit(
        what: "the server at \(name) has \(found.count) books that are not on loan, and the tour "
          + "needs \(count)",
        remedy: "Start it with a new database.", status: .wrongData)
    }
    return found
  }

  /// What is said before it: nobody listens, or somebody who is no library.
  private func catalogue() async throws(Unfit) -> Catalogue {
    let remedy = "Start the server, or give the address of one that runs."
    let page = url.appending(path: "v1/catalogue")
    let data: Data
    let response: HTTPURLResponse
    do {
      let client = HTTPClient(timeout: Self.patience)
      defer { client.close() }
      (data, response) = try await client.answer(to: URLRequest(url: page))
    } catch {
      throw Unfit(
        what: "the server at \(name) cannot be reached: \(error.localizedDescription)",
        remedy: remedy)
    }
    guard response.statusCode == 200,
      let catalogue = try? Catalogue(json: data, source: page.absoluteString)
    else {
      throw Unfit(what: "what answers at \(name) is no library server", remedy: remedy)
    }
    return catalogue
  }

  /// Asked by a member of its own, who borrows nothing.
  private func available(of books: [Book], _ count: Int) async throws -> [Book] {
    let library = LiveLibrary(server: url, timeout: Self.patience)
    let card = try await library.register(name: "Scout", pin: "0000")
    let credential = try await library.signIn(with: card)
    let desk = library.desk(for: credential)
    var found: [Book] = []
    for book in books where found.count < count {
      if case .eligible = try await desk.eligibility(of: book.id) { found.append(book) }
    }
    try await library.revoke(credential)
    return found
  }

  private var name: String { printable(url.absoluteString) }
}

extension LibraryError {
  /// Whether the same call may go well another time.
  fileprivate var isPassing: Bool {
    switch self {
    case .unreachable, .busy, .noAnswer: true
    default: false
    }
  }
}
