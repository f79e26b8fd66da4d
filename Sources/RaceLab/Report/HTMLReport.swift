// Searches as one HTML page that needs nothing else: numbers, and for each fault a timeline to zoom
// and point at.

/// Writes searches as a page.
public enum HTMLReport {
  /// A page about these searches.
  public static func text(suite: String, _ reports: [SearchReport]) -> String {
    let sections = reports.map(section).joined(separator: "\n")
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(escape(suite))</title>
      <style>\(style)</style></head>
      <body><h1>\(escape(suite))</h1>
      <p>\(reports.filter { !$0.findings.isEmpty }.count) of \(reports.count) scenarios show a \
      fault.</p>
      \(sections)
      <div id="tip" hidden></div>
      <script>\(script)</script>
      </body></html>

      """
  }

  private static func section(_ report: SearchReport) -> String {
    let state = report.findings.isEmpty ? "ok" : "bad"
    let findings = report.findings.map(finding).joined(separator: "\n")
    return """
      <section class="\(state)"><h2>\(escape(report.scenario))</h2>
      <pre>\(escape(report.summary))</pre>
      \(findings)
      </section>
      """
  }

  private static func finding(_ finding: SearchReport.Finding) -> String {
    """
    <h3>\(escape(finding.kind.rawValue)): \(escape(finding.message))</h3>
    <p>Repeat: <code class="token">\(escape(finding.token))</code></p>
    <p class="tools"><button data-zoom="1.25">zoom in</button>
    <button data-zoom="0.8">zoom out</button></p>
    <div class="scroll">\(timeline(finding))</div>
    \(waiting(finding))
    <details><summary>Table</summary><pre>\(escape(finding.table))</pre></details>
    <details><summary>Mermaid</summary><pre>\(escape(finding.mermaid))</pre></details>
    """
  }

  private static func waiting(_ finding: SearchReport.Finding) -> String {
    finding.waiting.map { "<p>\(escape($0))</p>" }.joined(separator: "\n")
  }

  /// A row for each task, a box for each step, an arrow from what made it ready.
  private static func timeline(_ finding: SearchReport.Finding) -> String {
    var tasks: [String] = []
    for step in finding.steps where !tasks.contains(step.task) { tasks.append(step.task) }
    let left = 130
    let wide = 46
    let high = 44
    let width = left + finding.steps.count * wide + 20
    let height = tasks.count * high + 30
    func y(_ task: String) -> Int { (tasks.firstIndex(of: task) ?? 0) * high + 24 }
    var parts: [String] = []
    for task in tasks {
      parts.append(
        "<line class=\"row\" x1=\"\(left)\" x2=\"\(width)\" y1=\"\(y(task))\" y2=\"\(y(task))\"/>"
          + "<text x=\"6\" y=\"\(y(task) + 4)\">\(escape(String(task.prefix(18))))</text>")
    }
    for (index, step) in finding.steps.enumerated() where step.cause > 0 {
      let from = left + (step.cause - 1) * wide + 38
      let to = left + index * wide
      parts.append(
        "<path class=\"\(step.isCause ? "cause" : "arrow")\" d=\"M\(from) "
          + "\(y(finding.steps[step.cause - 1].task)) L\(to) \(y(step.task))\"/>")
    }
    for (index, step) in finding.steps.enumerated() {
      let kind = step.place.prefix { $0 != " " }
      let marks = (step.deviates ? " deviates" : "") + (step.cancelled ? " cancelled" : "")
      let tip =
        "step \(index + 1): \(step.task) on \(step.place), "
        + "\(Double(step.nanoseconds) / 1e9) s"
        + (step.cause > 0 ? ", made ready by step \(step.cause)" : "")
        + (step.deviates ? ", taken before an earlier job" : "")
        + (step.cancelled ? ", cancelled right before" : "")
        + (step.code.map { "; \($0)" } ?? "")
      parts.append(
        "<g class=\"step \(kind)\(marks)\" tabindex=\"0\" data-tip=\"\(escape(tip))\">"
          + "<rect x=\"\(left + index * wide)\" y=\"\(y(step.task) - 13)\" width=\"38\" "
          + "height=\"26\" rx=\"5\"/><text x=\"\(left + index * wide + 19)\" "
          + "y=\"\(y(step.task) + 4)\" text-anchor=\"middle\">\(index + 1)</text></g>")
    }
    return "<svg viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\" "
      + "role=\"img\" aria-label=\"timeline\">\(parts.joined(separator: "\n"))</svg>"
  }

  private static func escape(_ text: String) -> String {
    JUnitReport.escape(text).replacing("&#10;", with: "\n").replacing("&#9;", with: "\t")
  }

  private static let style = """
    :root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#d0d7de;--main:#2f6fdb;
    --pool:#3c8d5a;--actor:#8a5cc2;--bad:#c0392b;--cause:#c0392b}
    @media (prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e6e9ed;--soft:#3a414a;
    --main:#7aa7f7;--pool:#79c796;--actor:#bd9bea;--bad:#ff7b6b;--cause:#ff7b6b}}
    body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;margin:2rem}
    section{border-left:4px solid var(--pool);padding-left:1rem;margin:2rem 0}
    section.bad{border-color:var(--bad)}pre{overflow:auto;font-size:13px}
    .scroll{overflow:auto;border:1px solid var(--soft);border-radius:6px}
    svg text{font:12px system-ui,sans-serif;fill:var(--fg)}
    .row{stroke:var(--soft)}.arrow{stroke:var(--soft);fill:none}
    .cause{stroke:var(--cause);fill:none;stroke-width:1.5}
    .step rect{fill:var(--bg);stroke-width:2}.step.main rect{stroke:var(--main)}
    .step.pool rect{stroke:var(--pool)}.step.actor rect{stroke:var(--actor)}
    .step.deviates rect{stroke-dasharray:4 2}.step.cancelled rect{fill:var(--bad)}
    #tip{position:fixed;background:var(--fg);color:var(--bg);padding:.3rem .6rem;
    border-radius:4px;pointer-events:none;max-width:24rem}
    button{font:inherit}.token{user-select:all;overflow-wrap:anywhere}
    """

  private static let script = """
    const tip=document.getElementById('tip');
    function show(e){const g=e.target.closest&&e.target.closest('[data-tip]');
    if(!g){tip.hidden=true;return}tip.textContent=g.dataset.tip;tip.hidden=false;
    const r=g.getBoundingClientRect();tip.style.left=r.left+'px';tip.style.top=(r.bottom+6)+'px'}
    document.addEventListener('mouseover',show);document.addEventListener('focusin',show);
    document.querySelectorAll('[data-zoom]').forEach(b=>b.onclick=()=>{
    const s=b.closest('section').querySelector('svg');
    for(const k of ['width','height'])s.setAttribute(k,s.getAttribute(k)*b.dataset.zoom)});
    """
}
