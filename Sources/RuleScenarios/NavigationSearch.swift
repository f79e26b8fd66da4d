// The search for a sequence that fails: one seed after the other, and the first fault made short.

extension NavigationRun {
  /// Plays the sequences of these seeds until one fails.
  ///
  /// - Returns: the seed, the shortest sequence that fails as it does, the fault, and then its course:
  ///   each step, what happened in it, and what was shown. Nil if none fails.
  package static func fault(in seeds: Range<UInt64>) async -> String? {
    for seed in seeds {
      let steps = NavigationStep.sequence(seed: seed)
      guard await fault(of: steps) != nil else { continue }
      let shortest = await NavigationStep.shrink(steps) { await fault(of: $0) != nil }
      var course: [String] = []
      let last = await fault(of: shortest) { course.append($0) }
      return """
        seed \(seed), shrunk from \(steps.count) to \(shortest): \(last ?? "gone after shrinking")
        \(course.joined(separator: "\n"))
        """
    }
    return nil
  }

  private static func fault(
    of steps: [NavigationStep], telling tell: (@MainActor (String) -> Void)? = nil
  ) async -> String? {
    do {
      try await play(steps, telling: tell)
      return nil
    } catch { return "\(error)" }
  }
}
