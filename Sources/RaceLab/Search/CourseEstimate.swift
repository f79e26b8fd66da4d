// How many courses there are, from a few that were drawn (Knuth, 1975): each stands for as many as its
// chance says. Right on average however the draws are made; nearer to it the more alike the chances are.

struct CourseEstimate {
  private var weighted = (sum: 0.0, count: 0)
  private var uniform = (sum: 0.0, count: 0)

  /// Takes in the run that was made.
  mutating func learn(_ schedules: Schedules) {
    guard let draw = schedules.draw else { return }
    // Of very long runs the chance is nothing that a number can hold: there is no estimate then.
    if draw.isWeighted {
      weighted = (weighted.sum + 1 / draw.chance, weighted.count + 1)
    } else {
      uniform = (uniform.sum + 1 / draw.chance, uniform.count + 1)
    }
  }

  var total: Double? {
    let best = weighted.count > 0 ? weighted : uniform
    return best.count > 0 && best.sum.isFinite ? best.sum / Double(best.count) : nil
  }
}
