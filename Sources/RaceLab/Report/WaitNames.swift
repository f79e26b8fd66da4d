// Who waits for what, in words.

/// The waits of a run's end as lines for people.
struct WaitNames {
  private let trace: Trace
  private let waits: [Wait]
  private let places: PlaceNames

  init(_ trace: Trace, _ waits: [Wait], _ places: PlaceNames? = nil) {
    self.trace = trace
    self.waits = waits
    self.places = places ?? PlaceNames(waits.map(\.place), [:])
  }

  /// A line for each task: what it is called, what it waits for, where.
  var lines: [String] {
    waits.map { wait in
      let place = places.text(wait.place).map { ", in \($0)" } ?? ""
      return "\(trace.title(wait.task)) waits \(what(wait.reason))\(place)"
    }
  }

  private func what(_ reason: Wait.Reason) -> String {
    switch reason {
    case .task(let number): number < 0 ? "for a task" : "for \(trace.title(number))"
    case .continuation: "for a continuation to be resumed"
    case .group: "for the tasks of a group"
    case .lab: "for the lab"
    case .unknown: "for something"
    }
  }
}
