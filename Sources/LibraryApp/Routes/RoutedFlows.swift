// Which flow is which place, and what each shows below itself: by the same calls as a tap.

import Millrace
import MillraceRoutes

extension SignedInFlow: RoutedFlow {
  package var route: LibraryRoute { .home }

  /// The tabs are there already.
  package func showing(_ route: LibraryRoute) -> ShowRoute? {
    let tab: FlowID? =
      switch route {
      case .catalogue: catalogue?.scope.id
      case .readingList: readingList?.scope.id
      case .account: account?.scope.id
      case .home, .book: nil
      }
    if let tab { return { tab } } else { return nil }
  }
}

extension CatalogueFlow: RoutedFlow {
  package var route: LibraryRoute { .catalogue }

  package func showing(_ route: LibraryRoute) -> ShowRoute? {
    if case .book(let id) = route { opening(id) } else { nil }
  }
}

extension BookPage: RoutedFlow {
  package var route: LibraryRoute { .book(id: book.id) }
}

extension ReadingListFlow: RoutedFlow {
  package var route: LibraryRoute { .readingList }
}

extension AccountFlow: RoutedFlow {
  package var route: LibraryRoute { .account }
}
