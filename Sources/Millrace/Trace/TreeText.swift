// The live tree as text: owners, presentation and running operations, a node a line.

extension RuntimeCore {
  func treeText() -> String {
    guard let root else { return "runtime (closed)" }
    var lines: [String] = []
    // Iterative, since a tree may be deeper than a stack.
    var stack: [(node: Owner, indent: String, isLast: Bool, isRoot: Bool)] = [
      (root, "", true, true)
    ]
    while let (node, indent, isLast, isRoot) = stack.popLast() {
      lines.append(indent + (isRoot ? "" : isLast ? "└ " : "├ ") + node.label)
      let inner = isRoot ? "" : indent + (isLast ? "  " : "│ ")
      let hasChildren = node.oldestChild != nil
      for run in node.runs {
        let last = run === node.lastRun && !hasChildren
        lines.append(inner + (last ? "└ " : "├ ") + run.label)
      }
      var child = node.youngestChild
      var isYoungest = true
      while let current = child {
        stack.append((current, inner, isYoungest, false))
        isYoungest = false
        child = current.older
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension Owner {
  fileprivate var label: String {
    if let flow = self as? AnyFlowNode {
      let shown = flow.presentation == .inline ? "" : " \(flow.presentation.rawValue)"
      return "\(name) #\(number)\(shown)\(flow.screen != nil && flow.isCovered ? " covered" : "")"
    }
    if let session = self as? SessionOwner { return "session \(session.value.account)" }
    return name
  }
}

extension AnyOperation {
  fileprivate var label: String {
    let state = isSettled ? "cancelled, running on" : isBegun ? "running" : "waiting"
    return "\(name) \(id) (\(state))"
  }
}
