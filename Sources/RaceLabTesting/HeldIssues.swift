// Issues that a trial run recorded, kept from the testing library.

import RaceLab
import Testing

final class HeldIssues: Sendable {
  private let issues = Guarded<[Issue]>([])

  var isEmpty: Bool { issues.withLock { $0.isEmpty } }

  func add(_ issue: Issue) { issues.withLock { $0.append(issue) } }

  /// Takes all, and returns the first as a fault.
  func take() -> Failure? {
    let taken = issues.withLock { issues in
      defer { issues = [] }
      return issues
    }
    return taken.first.map { issue in
      let place = issue.sourceLocation.map { " (\($0))" } ?? ""
      return Failure(.issue, "\(issue)\(place)")
    }
  }
}
