// The operations that were told to stop and have not stopped, by number: an open-addressed table,
// since an end may tell 100,000 and each is looked for once. What it holds are numbers: nothing is
// counted when an entry comes, moves or goes.

import Millrace

@MainActor
struct PendingOperations {
  struct Entry {
    /// The operation's number. Zero is an empty place: runtimes count from one.
    var key: UInt64 = 0
    /// When it was told.
    var told = Duration.zero
    /// The number of its name.
    var name = 0
    /// The number of the end that has told it; zero if there was none.
    var end = 0
  }

  private var places = Array(repeating: Entry(), count: 64)
  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  /// Sixteen that were started one after the other stand beside each other: an end tells them in this
  /// order, and each time the memory is at hand.
  private func home(_ key: UInt64) -> Int {
    let group = (key >> 4) &* 0x9E37_79B9_7F4A_7C15 >> 32
    return Int(truncatingIfNeeded: group << 4 | key & 15) & (places.count - 1)
  }

  mutating func insert(_ entry: Entry) {
    if count * 2 >= places.count { resize(places.count * 4) }
    var place = home(entry.key)
    while places[place].key != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = entry
    count += 1
  }

  mutating func remove(_ key: UInt64) -> Entry? {
    var place = home(key)
    while places[place].key != key {
      if places[place].key == 0 { return nil }
      place = (place + 1) & (places.count - 1)
    }
    let entry = places[place]
    close(place)
    count -= 1
    // What a large end took is given back when nothing is left of it; small tables stay.
    if count == 0, places.count > 16_384 { resize(64) }
    return entry
  }

  /// All that are left, in order of their numbers.
  var all: [Entry] { places.filter { $0.key != 0 }.sorted { $0.key < $1.key } }

  /// Empties a place and moves up what stands behind it, so that no search stops short.
  private mutating func close(_ place: Int) {
    var hole = place
    var next = (hole + 1) & (places.count - 1)
    while places[next].key != 0 {
      let distance = (next - home(places[next].key)) & (places.count - 1)
      if distance >= (next - hole) & (places.count - 1) {
        places[hole] = places[next]
        hole = next
      }
      next = (next + 1) & (places.count - 1)
    }
    places[hole] = Entry()
  }

  private mutating func resize(_ size: Int) {
    let old = places
    places = Array(repeating: Entry(), count: size)
    count = 0
    for entry in old where entry.key != 0 { insert(entry) }
  }
}
