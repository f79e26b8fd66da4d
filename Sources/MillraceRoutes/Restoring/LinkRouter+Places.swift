// What an app asks of its router about places: to keep the one of a window, or to show one that it has.

import Millrace

extension LinkRouter {
  /// Keeps the place of a window: shows what the store has, if it can be read, belongs to whoever is
  /// signed in and nobody was faster, and saves what the window shows from then on, after each
  /// change that has settled. A deliberate sign-out clears the store.
  ///
  /// Call it when the window is opened. It needs no `add`; the window is held weakly.
  ///
  /// - Parameters:
  ///   - window: the window whose place it is.
  ///   - store: where the place is kept, for this window alone.
  ///   - report: hears what becomes of the saved place, and what fails.
  @MainActor
  public func keepPlace(
    of window: FlowWindow, in store: any PlaceStore,
    report: (@MainActor (PlaceReport) -> Void)? = nil
  ) {
    desk?.keepPlace(of: window, in: store, report: report)
  }

  /// Shows a place once, as one that was kept is shown: for whoever is signed in, if nobody is
  /// faster, and as far as it can be shown.
  @MainActor
  public func restore(
    _ place: SavedPlace<R>, in window: FlowWindow,
    report: (@MainActor (PlaceReport) -> Void)? = nil
  ) {
    desk?.restore(place, in: window, report: report)
  }

  /// Saves the kept places now: for an app that goes into the background. The stores do their work
  /// in operations of the router.
  @MainActor
  public func savePlaces() { desk?.savePlaces() }
}
