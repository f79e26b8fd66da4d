// What a scenario says to the search: conditions, choices, events that may come at any time.

extension Lab {
  /// Throws unless `condition` is true; and even if the error is caught, the run counts as
  /// failing. In an exploration the run is then shrunk and reported.
  public func require(
    _ condition: Bool, _ message: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    guard !condition else { return }
    let what = message.isEmpty ? "required condition is false" : message
    let failure = Failure(.requirement, "\(what) (\(file):\(line))")
    if CurrentRun.value === core { core.reported.append(failure) }
    throw failure
  }

  /// Makes the run fail, and goes on.
  public func fail(_ message: String, file: String = #fileID, line: Int = #line) {
    guard CurrentRun.value === core else { return }
    core.reported.append(Failure(.requirement, "\(message) (\(file):\(line))"))
  }

  /// Checks `condition` after every step of the run from now on, until it is over. If it is false,
  /// the run ends there.
  public func always(_ name: String, _ condition: @escaping @MainActor () -> Bool) {
    guard CurrentRun.value === core else { return }
    core.invariants.append(Invariant(error: .invariant(name), holds: condition))
  }

  /// Runs `event` on the main actor, once, between any two steps: an exploration tries every
  /// place. In the plain order it comes when nothing else can run, before ``settle(isolation:)``
  /// returns.
  public func adversary(_ name: String, _ event: @escaping @MainActor () async -> Void) {
    guard CurrentRun.value === core else { return }
    core.strike(name, event)
  }

  /// Returns a number from zero up to, not including, `count`; an exploration tries all of them,
  /// and a single run takes zero.
  public func choose(_ count: Int) -> Int {
    guard CurrentRun.value === core else { return 0 }
    return core.choose(count: count)
  }

  /// Returns one of `values`; an exploration tries all of them, and a single run takes the first.
  /// `values` must not be empty.
  public func choose<Value>(from values: [Value]) -> Value { values[choose(values.count)] }

  /// Returns whether something that may fail does; an exploration tries both, and a single run
  /// takes no.
  public func flip() -> Bool { choose(2) == 1 }
}
