// The result as one HTML page without scripts or outside files, for light and dark screens.

import Foundation

struct HTMLReport {
  private let result: RunResult
  init(_ result: RunResult) { self.result = result }

  var text: String {
    let timed = result.cases.filter { !$0.isMemory }
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Millrace benchmarks</title>
      <style>\(Self.style)</style>
      <main>
      <h1>Millrace benchmarks</h1>
      <p>\(escaped(result.platform)). Each case is done by Millrace and by hand-written code in one
      process on one thread, in \(result.pairs) pairs. Times are processor time of that thread.</p>
      <h2>Against hand-written code</h2>
      \(RatioPlot(cases: result.cases.filter { $0.barKind == "ratio" }).svg)
      <h2>All cases</h2>
      \(table)
      <h2>Distributions and growth</h2>
      <p class="key"><span class="ours">●</span> Millrace <span class="hand">●</span> by hand</p>
      \(timed.map(section).joined(separator: "\n"))
      </main>
      </html>

      """
  }

  private var table: String {
    let rows = result.cases.map { item -> String in
      let ours = item.millrace
      let hand = item.hand
      let verdict =
        item.holds.map { $0 ? "<td class=\"good\">reached" : "<td class=\"bad\">above" } ?? "<td>–"
      return """
        <tr><th scope="row">\(escaped(item.name))</th>
        <td>\(item.isMemory ? "" : fixed(ours.median, 1))</td>
        <td>\(item.isMemory ? "" : fixed(hand.median, 1))</td>
        <td>\(item.isMemory ? "" : fixed(quantile(ours.nanoseconds, 0.9), 1))</td>
        <td>\(item.isMemory ? "" : fixed(quantile(ours.nanoseconds, 0.99), 1))</td>
        <td>\(fixed(item.ratio, 2))</td>
        <td>\(fixed(item.instructionRatio, 2))</td>
        <td>\(fixed(ours.allocations, 2)) / \(fixed(hand.allocations, 2))</td>
        <td>\(fixed(item.isMemory ? ours.liveBytes : ours.bytes, 0)) /
        \(fixed(item.isMemory ? hand.liveBytes : hand.bytes, 0))</td>
        <td>\(ours.exponent.map { fixed($0, 2) } ?? "")</td>
        <td>\(escaped(limit(item)))</td>\(verdict)</td></tr>
        """
    }
    return """
      <div class="wide"><table>
      <caption>Per unit, medians. Two numbers: Millrace / by hand. In cases of memory the bytes are
      those that are held.</caption>
      <thead><tr><th scope="col">case</th><th scope="col">ns</th><th scope="col">by hand, ns</th>
      <th scope="col">p90</th><th scope="col">p99</th><th scope="col">ratio</th>
      <th scope="col">instr. ratio</th><th scope="col">allocations</th><th scope="col">bytes</th>
      <th scope="col">growth</th><th scope="col">bar</th><th scope="col"></th></tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody></table></div>
      """
  }

  private func section(_ item: CaseResult) -> String {
    """
    <section><h3>\(escaped(item.name))</h3>
    <p>Per \(escaped(item.unit)), \(item.count) a run. By hand: \(escaped(item.twin)).</p>
    <div class="plots">\(DistributionPlot(item: item).svg)\(GrowthPlot(item: item)?.svg ?? "")</div>
    </section>
    """
  }

  private func limit(_ item: CaseResult) -> String {
    switch item.barKind {
    case "ratio": "≤ \(fixed(item.bar, 2)) ×"
    case "nanoseconds": "≤ \(fixed(item.bar, 0)) ns"
    case "added": "≤ +\(fixed(item.bar, 0)) ns"
    case "bytes": "≤ \(fixed(item.bar, 0)) bytes"
    default: "none"
    }
  }

  private static let style = """
    :root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --soft: #57606a;
      --line: #d0d7de; --ours: #0a5fb4; --hand: #a04a00; --good: #116329; --bad: #a40e26 }
    @media (prefers-color-scheme: dark) { :root { --page: #0d1117; --ink: #e6edf3;
      --soft: #9aa4af; --line: #3a424c; --ours: #6cb6ff; --hand: #f0a35e; --good: #57c96a;
      --bad: #ff8f8a } }
    body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
      margin: 0 }
    main { max-width: 82rem; margin: 0 auto; padding: 1rem }
    .wide { overflow-x: auto }
    table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
    caption { text-align: left; color: var(--soft) }
    th, td { padding: .2rem .45rem; border-bottom: 1px solid var(--line); text-align: right;
      white-space: nowrap }
    th:first-child { text-align: left; font-weight: 600 }
    .good { color: var(--good) } .bad { color: var(--bad); font-weight: 600 }
    .ours { color: var(--ours) } .hand { color: var(--hand) }
    .plots { display: flex; flex-wrap: wrap; gap: 1rem }
    section p, .key { color: var(--soft); margin: .2rem 0 }
    svg { max-width: 100%; height: auto }
    svg text { fill: var(--ink); font: 12px system-ui, sans-serif }
    svg .soft { fill: var(--soft) }
    svg .axis { stroke: var(--line) } svg .limit { stroke: var(--bad); stroke-width: 2 }
    svg .oursFill { fill: var(--ours) } svg .handFill { fill: var(--hand) }
    svg .oursLine { stroke: var(--ours); fill: none; stroke-width: 2 }
    svg .handLine { stroke: var(--hand); fill: none; stroke-width: 2; stroke-dasharray: 5 4 }
    """
}

func escaped(_ text: String) -> String {
  text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
}
