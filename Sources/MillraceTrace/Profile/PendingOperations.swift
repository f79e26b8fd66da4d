// The operations that were told to stop and have not stopped, by number: an open-addressed table,
// since an end may tell 100,000 and each is looked for once.

import Millrace

@MainActor
struct PendingOperations {
  struct Entry {
    let name: String
    let told: Duration
    let end: EndRecord?
  }

  /// A number of zero is an empty place: runtimes count from one.
  private var keys: [UInt64] = Array(repeating: 0, count: 64)
  private var entries: [Entry?] = Array(repeating: nil, count: 64)
  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  private func home(_ key: UInt64) -> Int {
    Int(truncatingIfNeeded: key &* 0x9E37_79B9_7F4A_7C15 >> 32) & (keys.count - 1)
  }

  mutating func insert(_ key: UInt64, _ entry: Entry) {
    if count * 2 >= keys.count { resize(keys.count * 2) }
    var place = home(key)
    while keys[place] != 0 { place = (place + 1) & (keys.count - 1) }
    keys[place] = key
    entries[place] = entry
    count += 1
  }

  mutating func remove(_ key: UInt64) -> Entry? {
    var place = home(key)
    while keys[place] != key {
      if keys[place] == 0 { return nil }
      place = (place + 1) & (keys.count - 1)
    }
    let entry = entries[place]
    close(place)
    count -= 1
    // What a large end took is given back when nothing is left of it; small tables stay.
    if count == 0, keys.count > 16_384 { resize(64) }
    return entry
  }

  /// All that are left, in order of their numbers.
  var all: [(key: UInt64, entry: Entry)] {
    zip(keys, entries).compactMap { key, entry in entry.map { (key, $0) } }
      .sorted { $0.0 < $1.0 }
  }

  /// Empties a place and moves up what stands behind it, so that no search stops short.
  private mutating func close(_ place: Int) {
    var hole = place
    var next = (hole + 1) & (keys.count - 1)
    while keys[next] != 0 {
      let distance = (next - home(keys[next])) & (keys.count - 1)
      if distance >= (next - hole) & (keys.count - 1) {
        keys[hole] = keys[next]
        entries[hole] = entries[next]
        hole = next
      }
      next = (next + 1) & (keys.count - 1)
    }
    keys[hole] = 0
    entries[hole] = nil
  }

  private mutating func resize(_ size: Int) {
    let old = zip(keys, entries)
    keys = Array(repeating: 0, count: size)
    entries = Array(repeating: nil, count: size)
    count = 0
    for (key, entry) in old { if let entry { insert(key, entry) } }
  }
}
