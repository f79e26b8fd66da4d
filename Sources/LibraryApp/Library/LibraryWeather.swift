// How slow and how faulty the embedded library is. What befalls a call depends on the seed and on
// which call it is, never on when it is made: the same calls in another order fare the same.

import Millrace

/// Latency and faults, from a seed.
package struct LibraryWeather: Sendable {
  package let seed: UInt64
  /// The least and the most time that an answer takes.
  package let latency: ClosedRange<Duration>
  /// The share of calls, 0 to 1, that fail as if the network had.
  package let faults: Double

  /// Makes weather; `faults` outside 0 to 1 counts as the nearer end.
  package init(seed: UInt64, latency: ClosedRange<Duration>, faults: Double) {
    self.seed = seed
    self.latency = latency
    self.faults = faults.isNaN ? 0 : min(max(faults, 0), 1)
  }

  /// No latency, no faults.
  package static let calm = LibraryWeather(seed: 0, latency: .zero...(.zero), faults: 0)

  /// What befalls one call.
  struct Forecast: Equatable, Sendable {
    let latency: Duration
    let fault: Fault?
  }

  enum Fault: Equatable, Sendable {
    /// The request is lost: nothing is done.
    case requestLost
    /// The answer is lost: it is done, and the caller does not know.
    case answerLost
  }

  /// What befalls the `count`th call of this kind (counted from 0) that `caller` makes.
  func forecast(_ call: LibraryCall, by caller: Int, count: Int) -> Forecast {
    var generator = SplitMix64(seed: seed)
    for part in [call.number, UInt64(bitPattern: Int64(caller)), UInt64(bitPattern: Int64(count))] {
      generator = SplitMix64(seed: generator.next() ^ part)
    }
    let share = Double.random(in: 0...1, using: &generator)
    let spread = self.latency.upperBound - self.latency.lowerBound
    let latency = self.latency.lowerBound + spread * share
    guard Double.random(in: 0..<1, using: &generator) < faults else {
      return Forecast(latency: latency, fault: nil)
    }
    let fault: Fault = Bool.random(using: &generator) ? .requestLost : .answerLost
    return Forecast(latency: latency, fault: fault)
  }
}

/// The kinds of calls that a library takes.
package enum LibraryCall: String, CaseIterable, Sendable {
  case register, signIn, revoke, catalogue, eligibility, lend, checkOut, giveBack, loans
  case readingList, addToReadingList, removeFromReadingList, save, renew, answer

  /// A number that does not change when a call is added at the end.
  fileprivate var number: UInt64 { UInt64(LibraryCall.allCases.firstIndex(of: self) ?? 0) }
}
