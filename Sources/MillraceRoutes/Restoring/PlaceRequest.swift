// What the store of a kept place is asked: one request at a time, and of those that come meanwhile the
// newest. Each says all that is to be kept, so a store that hangs holds one back and no more.

import Millrace

/// What a store is asked.
enum PlaceRequest: Sendable {
  case save([UInt8])
  case clear
}

extension LinkDesk {
  func write(_ place: SavedPlace<R>, _ keeper: PlaceKeeper<R>) {
    guard keeper.store != nil else { return }
    do {
      let bytes = try place.bytes()
      guard bytes != keeper.saved else { return }
      keeper.saved = bytes
      toStore(keeper, .save(bytes))
    } catch {
      keeper.report?(.storeFailed("\(error)"))
    }
  }

  func clear(_ keeper: PlaceKeeper<R>) {
    keeper.saved = nil
    toStore(keeper, .clear)
  }

  private func toStore(_ keeper: PlaceKeeper<R>, _ request: PlaceRequest) {
    keeper.request = request
    askStore(keeper)
  }

  /// Asks the store what it is to be asked next, unless it has not answered yet.
  func askStore(_ keeper: PlaceKeeper<R>) {
    guard !keeper.isAsking, let store = keeper.store, let request = keeper.request else { return }
    keeper.request = nil
    keeper.isAsking = true
    scope.perform("store place \(keeper.number)") {
      switch request {
      case .save(let bytes): try await store.save(bytes)
      case .clear: try await store.clear()
      }
    } then: { [self] result in
      keeper.isAsking = false
      guard case .failure(let error) = result else { return askStore(keeper) }
      if keeper.request == nil {
        // It is tried again when a place is saved the next time.
        keeper.request = request
        keeper.saved = nil
      } else {
        askStore(keeper)
      }
      keeper.report?(.storeFailed("\(error)"))
    }
  }
}
