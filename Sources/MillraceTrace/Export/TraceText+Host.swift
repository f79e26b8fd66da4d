// What passes between a window and its host, as text.

import Millrace

extension HostCommand {
  var line: String {
    switch self {
    case .show(let id, let presentation, let over):
      "show \(id) as \(presentation.rawValue)\(over.map { " over \($0)" } ?? "")"
    case .dismiss(let id, let others): "dismiss \(id)\(with(others))"
    case .pop(let id, let others, let lower): "pop \(id)\(with(others)), back to \(lower)"
    case .replace(let old, let new, _, _, let isInteractive):
      "replace \(old) by \(new)\(isInteractive ? ", as the user's gesture decides" : "")"
    case .select(let id): "select \(id)"
    }
  }

  private func with(_ others: [FlowID]) -> String {
    others.isEmpty ? "" : " with \(others.map { "\($0)" }.joined(separator: ", "))"
  }
}

extension HostReport {
  var line: String {
    switch self {
    case .didShow(let id): "\(id) is shown"
    case .didDismiss(let id): "\(id) is gone"
    case .didCover(let id): "\(id) is covered"
    case .didUncover(let id): "\(id) is uncovered"
    case .didSelect(let id): "\(id) is selected"
    case .gestureBegan(let id, let target): "a gesture began on \(id)\(to(target))"
    case .gestureCancelled(let id, let target): "the gesture on \(id)\(to(target)) was let go"
    case .gestureCompleted(let id, let target): "the gesture on \(id)\(to(target)) was completed"
    case .attemptBlocked(let id): "an attempt to take \(id) away was stopped"
    }
  }

  private func to(_ target: FlowID?) -> String { target.map { " towards \($0)" } ?? "" }
}

extension NavigationCommand {
  var line: String {
    switch self {
    case .select(let id): "select \(id)"
    case .pop(let id): "go back to \(id)"
    case .popToRoot(let id): "go back to the root of \(id)"
    case .dismiss(let id): "dismiss \(id)"
    }
  }
}

extension CommandOrigin {
  var line: String {
    switch self {
    case .user: "the user"
    case .link: "a link"
    case .app: "the app"
    case .flow(let id): "\(id)"
    }
  }
}

extension CommandAnswer {
  var line: String {
    switch self {
    case .done: "done"
    case .held(.transition): "held: a transition is going on"
    case .held(.question(let id)): "held: \(id) asks the user"
    case .refused(.kept(let id)): "refused: \(id) says no"
    case .refused(let why): "refused: \(why)"
    }
  }
}
