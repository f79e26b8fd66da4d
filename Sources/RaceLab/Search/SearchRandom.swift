// Random numbers for searches: the same seed gives the same search on every machine.

/// SplitMix64 (Steele, Lea, Flood, 2014): small, fast, and good enough to choose by.
struct SearchRandom: RandomNumberGenerator {
  private var state: UInt64

  /// A stream of its own for each schedule of a search.
  init(seed: UInt64, schedule: Int) {
    state = seed &+ UInt64(bitPattern: Int64(schedule)) &* 0xd134_2543_de82_ef95
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// A number from zero up to, not including, `count`.
  mutating func below(_ count: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
  }

  /// True once in `count` times.
  mutating func once(in count: Int) -> Bool { below(max(count, 1)) == 0 }
}
