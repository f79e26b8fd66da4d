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
    case .home, .book, .lending: nil
    }
  }
}

extension CatalogueFlow: RoutedFlow {
  package var route: LibraryRoute { .catalogue }

  package func canShow(_ route: LibraryRoute) -> Bool {
    switch route {
    case .book(let id): books.value?[id] != nil
    case .lending: books.value != nil
    case .home, .catalogue, .readingList, .account: false
    }
  }

  package func show(_ route: LibraryRoute) -> FlowID? {
    switch route {
    case .book(let id):
      open(id)
      return page.child?.id
    case .lending(let intent):
      lend(again: intent)
      return lending.child?.id
    case .home, .catalogue, .readingList, .account: return nil
    }
  }
}

extension BookPage: RoutedFlow {
  package var route: LibraryRoute { .book(id: book.id) }
}

extension LendingFlow: RoutedFlow {
  package var route: LibraryRoute { .lending(intent: intent) }
}

extension ReadingListFlow: RoutedFlow {
  package var route: LibraryRoute { .readingList }
}

extension AccountFlow: RoutedFlow {
  package var route: LibraryRoute { .account }
}
