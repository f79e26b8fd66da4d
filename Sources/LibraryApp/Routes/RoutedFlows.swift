// Which flow is which place, and what each shows below itself: by the same calls as a tap.

import Millrace
import MillraceRoutes

extension SignedInFlow: RoutedFlow {
  package var route: LibraryRoute { .home }

  /// The tabs are there already.
  package func show(_ route: LibraryRoute) -> FlowID? {
    switch route {
    case .catalogue: catalogue?.scope.id
    case .readingList: readingList?.scope.id
    case .account: account?.scope.id
    case .home, .book: nil
    }
  }
}

extension CatalogueFlow: RoutedFlow {
  package var route: LibraryRoute { .catalogue }

  package func canShow(_ route: LibraryRoute) -> Bool {
    if case .book(let id) = route { books.value?[id] != nil } else { false }
  }

  package func show(_ route: LibraryRoute) -> FlowID? {
    guard case .book(let id) = route else { return nil }
    open(id)
    return page.child?.id
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
