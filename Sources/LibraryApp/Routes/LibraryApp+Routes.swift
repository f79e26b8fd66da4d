// Links and saved places of the app. What a check has loaded it leaves in the catalogue tab, so that
// the page of a book needs no second load.

import Millrace
import MillraceRoutes

extension LibraryApp {
  /// Makes the app's entry for links, for all its windows.
  ///
  /// - Parameter onCheck: hears each check, from any thread.
  func makeRouter(
    onCheck: (@Sendable (LibraryRoute, RouteAnswer) -> Void)?
  ) -> LinkRouter<LibraryRoute> {
    let router = LinkRouter(
      runtime, links: LibraryRoute.links, accounts: readers, lock: lock
    ) {
      [service, wallet, weak self] route, session in
      let answer = try await LibraryApp.check(route, session, service, wallet, self)
      onCheck?(route, answer)
      return answer
    }
    for window in windows { router.add(window) }
    if let front { router.activate(front) }
    return router
  }

  @concurrent
  private static func check(
    _ route: LibraryRoute, _ session: Session?, _ service: any LibraryService, _ wallet: Wallet,
    _ app: LibraryApp?
  ) async throws -> RouteAnswer {
    guard let session, let credential = await wallet.credential(for: session) else {
      return .notPermitted
    }
    switch route {
    case .home, .catalogue, .readingList, .account: return .allowed
    case .book, .lending, .checkout: break
    }
    let books = try await service.desk(for: credential).catalogue()
    if case .book(let id) = route, books[id] == nil { return .notFound }
    await app?.take(books, for: session)
    return .allowed
  }

  /// Leaves books that were loaded in the catalogue tabs of this session.
  private func take(_ books: Catalogue, for session: Session) {
    for case let root as SignedInFlow in windows.map(\.rootFlow)
    where root.scope.session == session {
      root.catalogue?.take(books)
    }
  }

  /// Keeps the place of the first window in a store: shows what it has, then saves what changes.
  package func keepPlace(
    in store: any PlaceStore, report: (@MainActor (PlaceReport) -> Void)? = nil
  ) {
    links.keepPlace(of: window, in: store, report: report)
  }

  /// Shows a saved place in a window, once its account is signed in there, if nobody is faster: for
  /// one that was read from a file.
  ///
  /// - Parameters:
  ///   - bytes: what `SavedPlace.bytes()` wrote, or the JSON of it written by hand.
  ///   - window: a window of this app; nil for the first.
  /// - Throws: `PlaceError` if nothing of it can be read. What cuts it is reported.
  package func restore(
    _ bytes: [UInt8], in window: FlowWindow? = nil,
    report: (@MainActor (PlaceReport) -> Void)? = nil
  ) throws(PlaceError) {
    let (place, reports) = try SavedPlace<LibraryRoute>.read(bytes)
    for note in reports { report?(note) }
    links.restore(place, in: window ?? self.window, report: report)
  }
}
