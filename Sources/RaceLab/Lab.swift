// The lab as a test sees it: a closure runs in it with all that the closure starts, one job at a
// time, and the test can wait until nothing is left to run.

/// A controlled place to run asynchronous code in.
///
/// Inside the lab the main actor, the global pool, default actors and `Task.sleep` are the lab's
/// own: all jobs run on one thread, one after another, in an order that is the same every time.
/// So a test need not guess how long something takes:
///
/// ```swift
/// try await Lab.run { lab in
///   let gate = lab.gate("answer")
///   let model = SearchModel(service: { _ in try await gate.wait() })
///   model.search("swift")
///   await lab.settle()               // everything that could happen has happened
///   #expect(model.isLoading)
///   gate.open()
///   await lab.settle()
///   #expect(!model.isLoading)
/// }
/// ```
///
/// Two kinds of time exist. `Task.sleep` and the sleeps of the standard clocks are virtual: they
/// end, in order of deadline, when nothing else can run *and* the body itself waits for more than
/// ``settle(isolation:)``. ``clock`` moves only by ``advance(by:isolation:)``.
///
/// What runs on threads of its own (Dispatch queues, file and network input) is not the lab's. A
/// task of the lab that such a thread resumes is run in the lab again; until then the lab does not
/// know of it, unless the call is wrapped in ``outside(_:isolation:_:)``. Where ``uncontrolled`` names "who
/// cancels", as on Apple platforms, a task that was started in place (`Task.immediate`) and has not
/// been suspended before is not known for the lab's.
///
/// Labs may run at the same time as other tests and as each other. Each has a main actor of its
/// own, so what they share, such as a global variable on the main actor, is not protected.
public final class Lab: Sendable {
  let core: LabRun

  init(core: LabRun) {
    self.core = core
    core.lab = self
  }

  /// The lab's manual clock. It stands at zero when the run begins.
  public var clock: ManualClock {
    core.parkings.withLock { places in
      if let clock = places.first as? ManualClock { return clock }
      let clock = ManualClock()
      places.insert(clock, at: 0)
      return clock
    }
  }

  /// The lab whose job runs on this thread, or nil outside of labs.
  public static var current: Lab? { CurrentRun.value?.lab }

  // MARK: Waiting

  /// Returns when nothing is left to run: every task has finished, or waits at a gate, at the
  /// manual clock, in `Task.sleep`, or for something that never comes. Does not move time.
  ///
  /// While something is inside ``outside(_:isolation:_:)`` it waits for that; at the limit it returns, and
  /// the run fails with ``LabError/outside(_:)``. Stays on the caller's actor.
  public func settle(isolation: isolated (any Actor)? = #isolation) async {
    guard CurrentRun.value === core else { return notInLab("settle()") }
    await core.settle()
  }

  /// Moves ``clock`` on by `duration`: from deadline to deadline, in each place waking who is due
  /// and settling, and settles once more at the end. A sleeper that arrives on the way and is due
  /// before the end is woken too. Stays on the caller's actor.
  public func advance(
    by duration: Duration, isolation: isolated (any Actor)? = #isolation
  ) async {
    await advance(to: clock.now.advanced(by: duration))
  }

  /// Moves ``clock`` on to `instant`, as ``advance(by:isolation:)`` does. Never moves it back.
  public func advance(
    to instant: ManualClock.Instant, isolation: isolated (any Actor)? = #isolation
  ) async {
    guard CurrentRun.value === core else { return notInLab("advance(to:)") }
    repeat { await core.settle() } while !clock.move(towards: instant)
    await core.settle()
  }

  /// Awaits work that runs on threads the lab does not own, and tells the lab so: it then waits
  /// for `body` instead of calling the run settled, or stuck. Returns or throws what `body` does.
  /// Stays on the caller's actor.
  public func outside<R>(
    _ name: String, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
  ) async rethrows -> R {
    let number = core.inbox.enterOutside(name)
    defer { core.inbox.leaveOutside(number) }
    return try await body()
  }

  // MARK: Making

  /// Makes a gate. `name` is for messages.
  public func gate<Value: Sendable>(
    of type: Value.Type, _ name: String, _ kind: GateKind = .cooperative
  ) -> Gate<Value> {
    let gate = Gate<Value>(name: name, kind: kind)
    core.parkings.withLock { $0.append(gate) }
    return gate
  }

  /// Makes a gate that passes no value. `name` is for messages.
  public func gate(_ name: String, _ kind: GateKind = .cooperative) -> Gate<Void> {
    gate(of: Void.self, name, kind)
  }

  private func notInLab(_ call: String) {
    core.fail(.notInLab(call))
  }
}
