// Counts different courses in little memory.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How many different numbers it was given: exact up to ten thousand, then an estimate by linear
/// counting (Whang and others, 1990) in half a megabyte, good to a percent up to ten million.
struct DistinctCounter {
  private var exact: Set<UInt64> = []
  private var bits: [UInt64] = []
  private var used = 0
  private static let limit = 10_000
  private static let size = 1 << 22

  /// Takes a number in; returns whether it is new as far as can be told.
  @discardableResult
  mutating func insert(_ value: UInt64) -> Bool {
    guard bits.isEmpty else { return mark(value) }
    let isNew = exact.insert(value).inserted
    if exact.count > Self.limit {
      bits = Array(repeating: 0, count: Self.size / 64)
      for value in exact { mark(value) }
      exact = []
    }
    return isNew
  }

  @discardableResult
  private mutating func mark(_ value: UInt64) -> Bool {
    let mixed = (value ^ (value >> 31)) &* 0x7fb5_d329_728e_a185
    let bit = Int((mixed ^ (mixed >> 27)) & UInt64(Self.size - 1))
    let mask: UInt64 = 1 << UInt64(bit % 64)
    guard bits[bit / 64] & mask == 0 else { return false }
    bits[bit / 64] |= mask
    used += 1
    return true
  }

  var count: Int {
    guard !bits.isEmpty else { return exact.count }
    let free = Double(Self.size - used) / Double(Self.size)
    guard free > 0 else { return Int.max }
    return Int((-Double(Self.size) * log(free)).rounded())
  }
}
