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
      case .home, .book, .lending, .checkout: nil
      }
    if let tab { return { tab } } else { return nil }
  }
}

extension CatalogueFlow: RoutedFlow {
  package var route: LibraryRoute { .catalogue }

  package func showing(_ route: LibraryRoute) -> ShowRoute? {
    switch route {
    case .book(let id): opening(id)
    case .lending(let intent): lendingForm(intent)
    case .checkout(let intent): basketForm(intent)
    case .home, .catalogue, .readingList, .account: nil
    }
  }
}

extension BookPage: RoutedFlow {
  package var route: LibraryRoute { .book(id: book.id) }
}

extension LendingFlow: RoutedFlow {
  package var route: LibraryRoute { .lending(intent: intent) }
}

extension CheckoutFlow: RoutedFlow {
  package var route: LibraryRoute { .checkout(intent: intent) }
}

extension ReadingListFlow: RoutedFlow {
  package var route: LibraryRoute { .readingList }
}

extension AccountFlow: RoutedFlow {
  package var route: LibraryRoute { .account }
}
