// Random sequences of what an app, a host and a user may do. A step names flows by their place in a
// list, so that it keeps a meaning when steps before it are left out: sequences shrink.

import Millrace

/// One step of a sequence.
package enum NavigationStep: Sendable, Equatable {
  package enum Kind: UInt8, CaseIterable, Sendable {
    // The app.
    case push, sheet, cover, alert, tab, slot, interactive
    case dismiss, finish, replaceRoot, signOutAndIn
    // Commands.
    case navigateDismiss, navigatePop, navigateToRoot, navigateSelect
    // The host and the user.
    case answer, answerLost, answerLate, swipe, swipeLate, swipeUpper, tap, tapLate
    case begin, letGo, complete
    // The way of the reports.
    case deliver, deliverTwice, deliverFromThread, repeatOld
    case limit, quiet, otherHost
  }

  case act(Kind, Int)
}

extension NavigationStep: CustomStringConvertible {
  /// As it is written in a test.
  package var description: String {
    switch self {
    case .act(let kind, let number): ".act(.\(kind), \(number))"
    }
  }
}

extension NavigationStep {
  /// How often each kind comes.
  private static let weighted: [Kind] = Kind.allCases.flatMap { kind in
    Array(repeating: kind, count: weight(of: kind))
  }

  private static func weight(of kind: Kind) -> Int {
    switch kind {
    case .answer: 12
    case .push: 6
    case .sheet, .slot, .swipe, .dismiss, .tab: 4
    case .tap, .tapLate, .navigateSelect, .answerLate, .deliver, .swipeLate, .complete,
      .interactive:
      3
    case .quiet, .begin, .letGo, .finish, .navigatePop, .navigateDismiss, .swipeUpper: 2
    case .replaceRoot, .signOutAndIn, .limit, .answerLost: 1
    default: 1
    }
  }

  /// The sequence of this seed: 8 to 47 steps.
  package static func sequence(seed: UInt64) -> [NavigationStep] {
    var random = SplitMix64(
      seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0xD1B5_4A32_D192_ED03)
    return (0..<8 + Int(seed % 40)).map { _ in
      .act(
        weighted.randomElement(using: &random) ?? .answer, Int.random(in: 0..<64, using: &random))
    }
  }

  /// Leaves out steps as long as the rest still fails.
  @MainActor
  package static func shrink(
    _ steps: [NavigationStep], _ fails: ([NavigationStep]) async -> Bool
  ) async -> [NavigationStep] {
    var best = steps
    var size = max(1, best.count / 2)
    while true {
      var start = 0
      var isSmaller = false
      while start < best.count {
        var candidate = best
        candidate.removeSubrange(start..<min(start + size, best.count))
        if await fails(candidate) {
          best = candidate
          isSmaller = true
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !isSmaller { return best }
    }
  }
}
