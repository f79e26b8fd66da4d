// A small generator of random numbers that gives the same numbers for the same seed, everywhere.

/// SplitMix64 (Steele, Lea and Flood, 2014). For jitter and what the examples draw;
/// not for secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts at `seed`; every seed is as good as any other, 0 too.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
