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
      let app = BareApp(lab)
      let (window, router) = (app.open(), app.router)
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

  // Fault: a store that hangs makes the app keep each place that it was shown since, or gets an old one
  // last.
  @Test func hangingStore_getsTheNewestPlace() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let log = TraceLog()
      app.runtime.addSink(log)
      let (window, router) = (app.open(), app.router)
      let store = HangingPlaces(lab.gate(of: Bool.self, "disk"))
      router.keepPlace(of: window, in: store)
      await lab.settle()
      let home = window.rootFlow as? PlaceFlow
      for number in 1...20 {
        home?.open(.search("\(number)", nil))
        await lab.settle()
        await lab.advance(by: .seconds(1))
      }
      let asked = log.events.starts(of: "store place 1")
      try lab.require(asked == 1, "\(asked)")
      store.disk.open(with: true)
      await lab.settle()
      let saved = try await store.all.map { try SavedPlace<Place>.read($0).place.stack.count }
      try lab.require(saved == [2, 21], "\(saved)")
    }
  }

  // Fault: the place of who has signed out stays for good when the store could not clear it at once.
  @Test func failedClear_isTriedAgain() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let (window, router) = (app.open(), app.router)
      let store = FailingToClear()
      var reports: [PlaceReport] = []
      router.keepPlace(of: window, in: store) { reports.append($0) }
      await lab.settle()
      await lab.advance(by: .seconds(1))
      #expect(await store.stored != nil)
      // What is shown from then on is no place.
      app.runtime.signOut()
      window.close()
      await lab.settle()
      await lab.advance(by: .seconds(1))
      try lab.require(reports.count == 1, "\(reports)")
      #expect(await store.stored == nil)
    }
  }

  // Fault: a place that is longer than one that is read is kept, and lost as a whole at the next launch.
  @Test func placeThatIsTooLong_isToldAndNotKept() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let (window, router) = (app.open(), app.router)
      let store = MemoryPlaceStore()
      var reports: [PlaceReport] = []
      router.keepPlace(of: window, in: store) { reports.append($0) }
      await lab.settle()
      await lab.advance(by: .seconds(1))
      let kept = await store.stored
      let long = String(repeating: "a", count: SavedPlace<Place>.byteLimit)
      (window.rootFlow as? PlaceFlow)?.open(.search(long, nil))
      await lab.settle()
      await lab.advance(by: .seconds(1))
      #expect(await store.stored == kept && kept != nil)
      guard case .storeFailed(let words)? = reports.first, reports.count == 1 else {
        return lab.fail("\(reports)")
      }
      try lab.require(words.contains("\(SavedPlace<Place>.byteLimit) are read"), words)
    }
  }

  // Fault: a place whose save has failed counts as saved, and is lost at the next launch.
  @Test func failedSave_isTriedAgain() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let (window, router) = (app.open(), app.router)
      let store = FailingOnce()
      var reports: [PlaceReport] = []
      router.keepPlace(of: window, in: store) { reports.append($0) }
      await lab.settle()
      await lab.advance(by: .seconds(1))
      var stored = await store.stored
      try lab.require(reports.count == 1 && stored == nil, "\(reports)")
      // Nothing has changed since: the app goes into the background.
      router.savePlaces()
      await lab.settle()
      stored = await store.stored
      try lab.require(reports.count == 1 && stored != nil, "\(reports)")
    }
  }

  // Fault: each save during a transition waits for its end in a task of its own; or the end of the
  // first one alone is heard of.
  @Test func savesDuringATransition_waitForItTogether() async throws {
    try await LinkStage.run(.nothing) { stage in
      await stage.keepPlaceFromNothing()
      for number in 1...2 {
        stage.home?.open(.search("\(number)", nil))
        await stage.step()
        for _ in 1...3 { stage.router.savePlaces() }
        await stage.lab.advance(by: .seconds(2))
        try stage.check(
          stage.count(of: "settling of place 1") == number,
          "\(stage.count(of: "settling of place 1")) wait")
        await stage.answer()
        await stage.lab.advance(by: .seconds(1))
        try stage.check(stage.places.place?.stack.count == number + 1)
      }
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

/// A store whose first save fails.
private actor FailingOnce: PlaceStore {
  private(set) var stored: [UInt8]?
  private var hasFailed = false

  func load() -> [UInt8]? { stored }
  func save(_ place: [UInt8]) throws {
    guard hasFailed else {
      hasFailed = true
      throw Full()
    }
    stored = place
  }
  func clear() { stored = nil }

  private struct Full: Error {}
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

/// A store whose first save waits at a gate.
private actor HangingPlaces: PlaceStore {
  let disk: Gate<Bool>
  private(set) var all: [[UInt8]] = []
  private var hasWaited = false
  init(_ disk: Gate<Bool>) { self.disk = disk }

  func load() -> [UInt8]? { nil }
  func save(_ place: [UInt8]) async throws {
    if !hasWaited {
      hasWaited = true
      _ = try await disk.wait()
    }
    all.append(place)
  }
  func clear() {}
}

/// A store that cannot clear what it has at first.
private actor FailingToClear: PlaceStore {
  private(set) var stored: [UInt8]?
  private var hasFailed = false

  func load() -> [UInt8]? { stored }
  func save(_ place: [UInt8]) { stored = place }
  func clear() throws {
    guard hasFailed else {
      hasFailed = true
      throw Busy()
    }
    stored = nil
  }

  private struct Busy: Error {}
}
