// The way of the reports in a sequence: late, twice, out of order; and what the model makes of them.

import Millrace
import MillraceTesting

extension NavigationRun {
  /// One that is on its way. Selections overtake other reports, and not each other.
  func takeLate(_ number: Int) -> HostReport {
    let report = late[number % late.count]
    guard case .didSelect = report else { return late.remove(at: number % late.count) }
    let first = late.firstIndex { if case .didSelect = $0 { true } else { false } }
    return late.remove(at: first ?? number % late.count)
  }

  /// A selection comes after those that are still on their way, whoever made them.
  func sendInOrder(_ report: HostReport) {
    guard case .didSelect = report else { return receive(report) }
    let isFirst = !late.contains { if case .didSelect = $0 { true } else { false } }
    if isFirst { receive(report) } else { late.append(report) }
  }

  func receive(_ report: HostReport?) {
    guard let report else { return }
    followFacts()
    window.report(report)
    follow(report)
  }

  /// A report that comes again must be one that cannot be mistaken for a new one.
  func repeats(_ report: HostReport) -> Bool {
    switch report {
    case .didDismiss(let id): !model.contains(id)
    // About a replacement that is done it is the same report again, until another gesture begins.
    case .gestureCompleted(let id, _): !model.contains(id) || committed.contains(id)
    case .didSelect, .gestureBegan, .gestureCancelled: false
    default: true
    }
  }

  func follow(_ report: HostReport) {
    old.append(report)
    switch report {
    case .didDismiss(let id):
      if model.provisional[id] != nil { model.abandon(id) } else { model.end(id, reported: true) }
    case .gestureCompleted(let id, _):
      if model.provisional[id] != nil {
        model.commit(id)
        committed.insert(id)
      } else if !committed.contains(id) {
        model.end(id, reported: true)
      }
    case .gestureCancelled(let id, _): model.abandon(id)
    case .didShow(let id): if model.provisional[id] != nil { model.commit(id) }
    case .didSelect(let id):
      // While the host is to select another tab there, what the user did before is out of date.
      let isAsked = selecting.map { $0.owner == model.owner(of: id) } ?? false
      if !isAsked { model.select(id) }
      if selecting?.tab == id { selecting = nil }
    case .gestureBegan(let id, _): committed.remove(id)
    case .didCover, .didUncover, .attemptBlocked: break
    }
    followFacts()
  }

  /// What the runtime tells that the model cannot know: which commands were carried out, which flows
  /// the host was asked for, which gestures were given up.
  func followFacts() {
    for event in facts.take() {
      switch event {
      case .command(.select(let id)): selecting = (id, model.owner(of: id))
      case .hostTimeout(.select): selecting = nil
      case .command(.show(let id, _, _)), .command(.replace(_, let id, _, _, false)):
        model.asked(for: id)
      case .command(.replace(_, let id, _, _, true)): model.asked(for: id)
      case .command(.dismiss(let id, _)): model.askedToTakeAway(id)
      case .hostTimeout(.replace(_, let id, _, _, true)), .gestureTimeout(let id):
        model.abandon(id)
      case .navigated(let command, _, .done): carryOut(command)
      default: break
      }
    }
  }

  func carryOut(_ command: NavigationCommand) {
    switch command {
    case .select(let id): model.select(id)
    case .pop(let id): model.pop(to: id)
    case .popToRoot(let id): model.popToRoot(of: id)
    case .dismiss(let id): model.end(id)
    }
  }
}
