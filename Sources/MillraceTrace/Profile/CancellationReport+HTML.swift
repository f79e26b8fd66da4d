// The report as one HTML page without scripts or outside files, for light and dark screens.

import Millrace

extension CancellationReport {
  /// The page.
  public var html: String {
    let longest = names.map(\.longest).max() ?? .zero
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Cancellation profile</title>
      <style>\(Self.style)</style>
      <main>
      <h1>Cancellation profile</h1>
      <p>\(endCount) ends until \(time.short). An operation that stays longer than \
      \(deafAfter.short) after it was told to stop is deaf.</p>
      <h2>Who stays</h2>
      <div class="wide"><table>
      <thead><tr><th scope="col">operation</th><th scope="col">stopped</th>
      <th scope="col">running on</th><th scope="col">deaf</th><th scope="col">median</th>
      <th scope="col">longest</th><th scope="col"></th></tr></thead>
      <tbody>\(names.prefix(200).map { row($0, longest) }.joined(separator: "\n"))</tbody></table></div>
      <h2>Ends</h2>
      <div class="wide"><table>
      <thead><tr><th scope="col">end</th><th scope="col">at</th><th scope="col">flows</th>
      <th scope="col">operations</th><th scope="col">cancelled after</th>
      <th scope="col">quiet after</th><th scope="col">stayed longest</th></tr></thead>
      <tbody>\(ends.filter { $0.operations > 0 }.map(row).joined(separator: "\n"))</tbody></table></div>
      </main>
      </html>

      """
  }

  private func row(_ name: Name, _ longest: Duration) -> String {
    let isDeaf = name.deaf + name.runningDeaf > 0
    let width = longest > .zero ? Int((name.longest.seconds / longest.seconds * 160).rounded()) : 0
    return """
      <tr><th scope="row">\(escapedForHTML(name.name))</th><td>\(name.stopped)</td>
      <td>\(name.running)</td><td\(isDeaf ? " class=\"bad\"" : "")>\
      \(name.deaf + name.runningDeaf)</td>
      <td>\(name.median.short)</td><td>\(name.longest.short)</td>
      <td><svg role="img" width="164" height="12"><title>longest stay \(name.longest.short)</title>
      <rect class="\(isDeaf ? "deaf" : "heard")" x="0" y="1" width="\(max(1, width))" height="10"/>
      </svg></td></tr>
      """
  }

  private func row(_ end: End) -> String {
    let stays = end.stays.prefix(5).map { stay in
      let text =
        "\(stay.name) \(stay.id) \(stay.stayed.short)" + (stay.isOver ? "" : ", still running")
      return stay.stayed > deafAfter
        ? "<span class=\"bad\">\(escapedForHTML(text)), deaf</span>" : escapedForHTML(text)
    }
    return """
      <tr><th scope="row">\(escapedForHTML(end.title))</th><td>\(end.began.short)</td>
      <td>\(end.flows)</td><td>\(end.operations)</td><td>\(end.timeToCancelled.short)</td>
      <td>\(end.timeToQuiet?.short ?? "<span class=\"bad\">\(end.left) still running</span>")</td>
      <td class="text">\(stays.joined(separator: "<br>"))</td></tr>
      """
  }

  private static let style = """
    :root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --soft: #57606a;
      --line: #d0d7de; --heard: #0a5fb4; --bad: #a40e26 }
    @media (prefers-color-scheme: dark) { :root { --page: #0d1117; --ink: #e6edf3;
      --soft: #9aa4af; --line: #3a424c; --heard: #6cb6ff; --bad: #ff8f8a } }
    body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
      margin: 0 }
    main { max-width: 76rem; margin: 0 auto; padding: 1rem }
    .wide { overflow-x: auto }
    table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
    th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
      vertical-align: top }
    th:first-child, .text { text-align: left }
    .bad { color: var(--bad); font-weight: 600 }
    svg .heard { fill: var(--heard) } svg .deaf { fill: var(--bad) }
    """
}
