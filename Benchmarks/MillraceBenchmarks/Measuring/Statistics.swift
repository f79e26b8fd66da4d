// Medians, percentiles, exponents, and how sure one may be of a difference.

import Foundation

/// The value below which this part of the values lies, 0 to 1, between neighbours in proportion.
func quantile(_ values: [Double], _ part: Double) -> Double {
  let sorted = values.sorted()
  guard let first = sorted.first else { return .nan }
  guard sorted.count > 1 else { return first }
  let place = min(max(part, 0), 1) * Double(sorted.count - 1)
  let below = Int(place)
  let above = min(below + 1, sorted.count - 1)
  return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
}

func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

/// The standard error of a median: from the middle half of the values, since a shared machine makes
/// a few that are far off, or from the medians of the rounds they were taken in, if those differ more
/// than the values within a round explain.
func medianError(_ values: [Double], rounds: Int) -> Double {
  guard values.count > 1 else { return .infinity }
  let spread = (quantile(values, 0.75) - quantile(values, 0.25)) / 1.349
  let within = 1.2533 * spread / Double(values.count).squareRoot()
  let size = values.count / max(1, rounds)
  guard size > 0, rounds > 1 else { return within }
  let middles = (0..<rounds).map { median(Array(values[($0 * size)..<(($0 + 1) * size)])) }
  let mean = middles.reduce(0, +) / Double(rounds)
  let variance = middles.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(rounds - 1)
  return max(within, (variance / Double(rounds)).squareRoot())
}

/// The exponent p of `time ~ count^p`, by least squares over the logarithms.
func growthExponent(_ points: [(count: Double, time: Double)]) -> Double? {
  guard points.count > 1 else { return nil }
  let xs = points.map { log($0.count) }
  let ys = points.map { log($0.time) }
  let meanX = xs.reduce(0, +) / Double(xs.count)
  let meanY = ys.reduce(0, +) / Double(ys.count)
  var covariance = 0.0
  var variance = 0.0
  for (x, y) in zip(xs, ys) {
    covariance += (x - meanX) * (y - meanY)
    variance += (x - meanX) * (x - meanX)
  }
  return variance > 0 ? covariance / variance : nil
}

func rounded(_ value: Double, _ digits: Int) -> Double {
  let scale = pow(10, Double(digits))
  return (value * scale).rounded() / scale
}
