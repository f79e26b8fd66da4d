// Why a run of the lab failed for reasons of its own, told so that a person can act on it.

/// What the lab throws when a run cannot be judged or went wrong in a way that no assertion in the
/// test could have seen.
public enum LabError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Nothing was left to run, and the test's body had not returned. `waiting` names the gates and
  /// clocks at which something waits; it is empty if the body waits for something that the lab
  /// does not know, such as a continuation that nobody resumed.
  case deadlock(waiting: [String])
  /// The run made more steps than allowed: something goes on for ever, such as a loop around
  /// `Task.yield`. Virtual time stands still while anything can run.
  case stepLimit(Int)
  /// Work outside the lab, named here, had not come back when the limit was reached.
  case outside([String])
  /// The run was over and tasks were still suspended at these places (`leftovers: .fail` only).
  case leftovers([String])
  /// The platform does not give the lab control of what is named here, so no run can be trusted.
  case uncontrolled([String])
  /// A call that only makes sense inside the lab was made from outside it.
  case notInLab(String)
  /// The system had no thread left for the run.
  case noThread
  /// A condition given to ``Lab/always(_:_:)`` did not hold after a step.
  case invariant(String)
  /// What ``Lab/neverStale(_:accepted:current:)`` watches took in a value that was not current.
  case stale(String)
  /// These objects, given to ``Lab/expectFreed(_:_:)``, were still alive at the end.
  case notFreed([String])
  /// These tasks, given to ``Lab/expectEnded(_:_:)``, had not ended at the end.
  case notEnded([String])
  /// The run is over: thrown to what still waits at a gate when it ends.
  case ended

  /// What happened, why that is likely, what to do.
  public var description: String {
    switch self {
    case .deadlock(let waiting):
      let places =
        waiting.isEmpty
        ? "Nothing waits at a gate or a clock, so it is probably a continuation that nobody resumes."
        : "Waiting: \(waiting.joined(separator: "; "))."
      return "Deadlock: nothing is left to run, and the body has not returned. \(places) "
        + "If it waits for another thread, wrap that call in `lab.outside(_:_:)`."
    case .stepLimit(let limit):
      return "More than \(limit) steps: something goes on for ever, probably a loop around "
        + "Task.yield. Virtual time moves only when nothing can run; wait for an event instead."
    case .outside(let names):
      return "Still outside the lab at the limit: \(names.joined(separator: "; ")). "
        + "Let it end before, or replace it by a gate."
    case .leftovers(let places):
      return "Tasks are still suspended after the end: \(places.joined(separator: "; ")). "
        + "Open the gates, or cancel the tasks and wait for them."
    case .uncontrolled(let names):
      return "The lab does not control: \(names.joined(separator: ", ")). Another executor factory "
        + "was probably installed after the lab's, or this toolchain differs from those it knows."
    case .notInLab(let call):
      return "\(call) was called from outside the lab it belongs to. "
        + "Call it from the lab's body or a task started there."
    case .noThread:
      return "The system has no thread left for a run of the lab; run fewer at once."
    case .invariant(let name):
      return "\"\(name)\" did not hold after a step."
    case .stale(let name):
      return "\"\(name)\" took in a value that was not current any more. "
        + "Something newer had been asked for before it came: check that before accepting."
    case .notFreed(let names):
      return "Still alive at the end: \(names.joined(separator: ", ")). Something holds them: "
        + "probably a task that has not ended, or a closure that was not dropped."
    case .notEnded(let names):
      return "Not ended at the end: \(names.joined(separator: ", ")). The task outlives its owner: "
        + "it was not cancelled, or does not listen."
    case .ended:
      return "The run of the lab is over; this wait was still open."
    }
  }
}
