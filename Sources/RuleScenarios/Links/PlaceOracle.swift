// Judges what is told of a saved place, whatever strikes. Keeps R35: a place is shown to whom it belongs,
// not past the lock and not over a link; one word is the last on it; what is kept can be read.

import Millrace
import MillraceRoutes
import RaceLab

/// Hears each report, and says what is wrong with it.
@MainActor
final class PlaceOracle {
  private let lab: Lab
  private let runtime: FlowRuntime
  private let window: FlowWindow
  private let lock: TestLock
  private let places: TestPlaces
  private var isKept = false
  private var routedBefore = 0

  init(
    _ lab: Lab, _ runtime: FlowRuntime, _ window: FlowWindow, _ lock: TestLock, _ places: TestPlaces
  ) {
    self.lab = lab
    self.runtime = runtime
    self.window = window
    self.lock = lock
    self.places = places
  }

  /// The place is kept from now on.
  func begin(routed: Int) { (isKept, routedBefore) = (true, routed) }

  /// A report was told.
  func hear(_ report: PlaceReport, pending: Bool, routed: Int) {
    let loaded = places.loaded.flatMap { try? SavedPlace<Place>.read($0).place }
    let account = runtime.session?.account
    let wrong: String? =
      switch report {
      case .restored where loaded == nil: "it cannot be read"
      case .restored where loaded?.account != account: "it is another account's"
      case .restored where lock.isLocked: "the app is locked"
      case .restored where pending: "a link is on its way"
      case .restored where routed > routedBefore: "a link was faster"
      case .notRestored(.linkCame) where routed == routedBefore: "no link came"
      case .notRestored(.otherAccount) where account == nil || account == loaded?.account:
        "it is not another account's"
      case .notRestored(.signedOut) where runtime.lastSignOut == nil: "nobody has signed out"
      case .unreadable where loaded != nil: "it can be read"
      case .storeFailed: "no store fails here"
      default: nil
      }
    if let wrong { lab.fail("\(report), but \(wrong)") }
  }

  /// Once nothing is in the way any more and the store has answered: one report was the last word on
  /// what it had, and it has what is shown.
  func end(_ reports: [PlaceReport]) throws {
    guard isKept, places.hasAnswered else { return }
    let last = reports.count {
      switch $0 {
      case .restored, .notRestored, .unreadable: true
      default: false
      }
    }
    try lab.require(last == (places.loaded == nil ? 0 : 1), "the last words are \(reports)")
    var isShown = SavedPlace<Place>(window, account: runtime.session?.account)
    isShown?.isLocked = lock.isLocked
    if let isShown {
      try lab.require(
        places.place == isShown, "\(places.place as Any) is kept, and shown is \(isShown)")
    }
    if let stored = places.stored {
      try lab.require(
        SavedPlace<Place>.read(stored).reports == [], "what is kept was not written anew")
    }
  }
}
