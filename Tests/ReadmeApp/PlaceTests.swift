import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import Testing

// The place of the app is saved, and can be read.
@MainActor @Test func placeIsSavedAfterALink() async throws {
  try await Lab.run { lab in
    let app = Shop(till: Till(), host: RecordingHost(), clock: lab.clock)
    let store = MemoryPlaceStore()
    app.runtime.signIn(Account("ada"))
    app.router.keepPlace(of: app.window, in: store)
    app.router.deliver("shop://items/7")
    await lab.settle()
    await lab.advance(by: .seconds(1))  // the half second of `LinkOptions.saveDelay`
    let bytes = try #require(await store.stored)
    #expect(try SavedPlace<Place>.read(bytes).place.stack.last?.route == .item(7))
  }
}
