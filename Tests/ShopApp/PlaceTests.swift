import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import Testing

// A test: the place is saved half a second after the item is shown, and read again.
@MainActor @Test func placeOfTheItemIsSaved() async throws {
  try await Lab.run { lab in
    let (host, store) = (RecordingHost(), MemoryPlaceStore())
    let shop = Shop(till: Till(), host: host, clock: lab.clock)
    shop.runtime.signIn(Account("ada"))
    shop.router.keepPlace(of: shop.window, in: store)
    shop.router.deliver("shop://items/7")
    await lab.settle()
    #expect(await store.stored == nil)
    await lab.advance(by: .seconds(1))  // the half second of `LinkOptions.saveDelay`
    let bytes = try #require(await store.stored)
    #expect(try SavedPlace<Place>.read(bytes).place.stack.last?.route == .item(7))
  }
}
