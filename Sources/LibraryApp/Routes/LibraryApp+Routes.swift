// Links and saved places of the app. What a check has loaded it leaves in the catalogue tab, so that
// the page of a book needs no second load.

import Millrace
import MillraceRoutes

extension LibraryApp {
  /// Makes the app's entry for links, for its first window.
  ///
  /// - Parameter onCheck: hears each check, from any thread.
  func makeRouter(
    onCheck: (@Sendable (LibraryRoute, RouteAnswer) -> Void)?
  ) -> LinkRouter<LibraryRoute> {
    let router = LinkRouter(runtime, links: LibraryRoute.links) {
      [service, wallet, weak window] route, session in
      let answer = try await LibraryApp.check(route, session, service, wallet, window)
      onCheck?(route, answer)
      return answer
    }
    router.add(window)
    return router
  }

  @concurrent
  private static func check(
    _ route: LibraryRoute, _ session: Session?, _ service: any LibraryService, _ wallet: Wallet,
    _ window: FlowWindow?
  ) async throws -> RouteAnswer {
    guard let session, let credential = await wallet.credential(for: session) else {
      return .notPermitted
    }
    guard case .book(let id) = route else { return .allowed }
    let books = try await service.desk(for: credential).catalogue()
    guard books[id] != nil else { return .notFound }
    await window?.take(books, for: session)
    return .allowed
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
    let (place, cut) = try SavedPlace<LibraryRoute>.read(bytes)
    if let cut { report?(.unknownRoute(cut)) }
    links.restore(place, in: window ?? self.window, report: report)
  }
}

extension FlowWindow {
  /// Leaves books that were loaded in the catalogue tab of this session.
  @MainActor
  fileprivate func take(_ books: Catalogue, for session: Session) {
    guard let root = rootFlow as? SignedInFlow, root.scope.session == session else { return }
    root.catalogue?.take(books)
  }
}
