// What the places in a report are called: a function, and where somebody can find it, a line.

/// Names of the addresses of one report.
struct PlaceNames {
  private var texts: [UInt: String] = [:]

  /// `lines` has lines of source by the addresses that ``Exploration/codeOffsets`` named.
  init(_ addresses: some Sequence<UInt>, _ lines: [UInt: String]) {
    for address in Set(addresses) where address != 0 {
      let function = Code.function(at: address)
      let name = function.name.map(Code.readable)
      let line = function.offset.flatMap { lines[$0] }
      let words = [name, line.map { name == nil ? $0 : "(\($0))" }].compactMap { $0 }
      if !words.isEmpty { texts[address] = words.joined(separator: " ") }
    }
  }

  /// The function and the line, as far as they are known; nil if neither is.
  func text(_ address: UInt) -> String? { texts[address] }
}

extension Exploration {
  /// Addresses that a report of this search names, as the program's own file counts them: what to
  /// ask a symbolizer for, in any order.
  public var codeOffsets: [UInt] {
    let pairs = namedPairs.flatMap { [$0.suspended, $0.other] }
    let addresses = pairs + (finding.map { $0.trace.places + $0.waits.map(\.place) } ?? [])
    return Set(addresses).filter { $0 != 0 }.compactMap { Code.function(at: $0).offset }
  }

  /// Pairs that a report names; others it counts.
  var namedPairs: ArraySlice<PlacePair> { neverInterleaved.prefix(1_000) }
}
