// When a place is saved, and what of it is.

import Foundation
import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct PlaceSavingCases {
  typealias Saved = SavedPlace<Place>
  private static let a = Account("A")

  // Fault: the whole navigation is read for each of many changes in one turn, or each change is a
  // write; or what the host has not shown yet is written.
  @Test func place_isSavedOnceAfterChangesThatHaveSettled() async throws {
    try await LinkStage.run(.nothing) { stage in
      await stage.keepPlaceFromNothing()
      try stage.check(stage.places.saves == 1)
      let looks = stage.count(of: "save place 1")
      for number in 1...20 { stage.home?.open(.search("\(number)", nil)) }
      await stage.step()
      try stage.check(stage.count(of: "save place 1") == looks + 1)
      await stage.lab.advance(by: .seconds(2))
      // The host has shown none of them.
      try stage.check(stage.places.saves == 1)
      stage.host.answerAll()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.saves == 2)
      try stage.check(stage.places.place?.stack.count == 21)
      // What changes nothing in the end is not written.
      let child = stage.home?.open(.search("x", nil))
      child?.dismiss()
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.saves == 2)
    }
  }

  // Fault: what is declared transient is written all the same, or takes along what is under it.
  @Test func transientPlaces_cutWhatIsSaved() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.home?.open(.photo(Transient("pixels")))
      await stage.answer()
      try stage.check(
        SavedPlace<Place>(stage.window, account: Self.a) == PlaceCases.home())
      stage.deliver("tea://payments/5")
      await stage.answer()
      try stage.check(stage.path == [.home, .orders, .payment(5)])
      try stage.check(
        SavedPlace<Place>(stage.window, account: Self.a) == PlaceCases.home())
      // A form that names no place is passed over.
      stage.home?.openModal()
      await stage.answer()
      try stage.check(
        SavedPlace<Place>(stage.window, account: Self.a) == PlaceCases.home())
    }
  }

  // Fault: a store that fails stops the app, or is not told of.
  @Test func failingStore_isReported() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let host = RecordingHost()
      let window = runtime.openWindow(host: host) { _ in Root { PlaceFlow($0, .home) { _, _ in } } }
      let router = LinkRouter(runtime, links: Place.links) { _, _ in .allowed }
      var reports: [PlaceReport] = []
      router.keepPlace(
        of: window, in: FilePlaceStore(file: URL(filePath: "/nowhere/at/all/place.json"))
      ) {
        reports.append($0)
      }
      await lab.settle()
      await lab.advance(by: .seconds(1))
      guard reports.count == 1, case .storeFailed(let words) = reports[0] else {
        return lab.fail("\(reports)")
      }
      #expect(words.contains("/nowhere/at/all"))
    }
  }

  // Fault: a place that was saved while the app was locked comes up unlocked, for whoever starts it.
  @Test func lockedApp_isSavedAsLocked() async throws {
    try await LinkStage.run(.nothing) { stage in
      await stage.keepPlaceFromNothing()
      try stage.check(stage.places.place?.isLocked == false)
      stage.lock.isLocked = true
      stage.lock.show()
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.place?.isLocked == true)
    }
  }

  // Fault: a lock with no screen in the window is saved with the next change of the window only.
  @Test func lockWithoutAScreen_isSaved() async throws {
    try await LinkStage.run(.nothing) { stage in
      await stage.keepPlaceFromNothing()
      for isLocked in [true, false] {
        stage.lock.isLocked = isLocked
        await stage.step()
        await stage.lab.advance(by: .seconds(1))
        try stage.check(stage.places.place?.isLocked == isLocked, "\(isLocked)")
      }
    }
  }
}

extension LinkStage {
  /// Keeps the place of the window, of which the store had none, until the first one is saved.
  fileprivate func keepPlaceFromNothing() async {
    keepPlace()
    places.open(with: nil)
    await answer()
    await lab.advance(by: .seconds(1))
  }
}
