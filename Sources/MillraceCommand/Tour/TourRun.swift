// Runs the day's steps in order. A step that cannot go on ends the day: what comes after it would
// only repeat its fault.

import LibraryApp
import Millrace

extension Tour {
  /// Runs a whole tour.
  static func run(_ options: TourOptions, catalogue: Catalogue) async -> TourReport {
    let tour = Tour(options: options, catalogue: catalogue)
    let steps: [@MainActor (Tour) -> () async throws -> Void] = [
      Tour.opening, Tour.joining, Tour.lending, Tour.threeParents, Tour.checkingOut,
      Tour.replacing, Tour.replacingInSlot, Tour.dismissing, Tour.signingOut, Tour.returning,
      Tour.closing,
    ]
    do {
      for step in steps { try await step(tour)() }
    } catch {
      tour.giveUp(error)
    }
    return tour.report
  }
}
