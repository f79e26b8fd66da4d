// How long ends take: until all below is cancelled, and until the last task has really finished.
//
// The runtime never waits for work that does not listen (R6), so nobody notices it either, until it
// drains a battery or writes over newer data. This sink notices. What it keeps is bounded, whatever
// happens: the newest ends and the slowest, some operations of each, a line of counts for each name
// of an operation, and a table of the operations that were told to stop and have not stopped.

import Millrace

/// A sink that measures cancellation: add it to a runtime, and ask it for a report.
///
/// ```swift
/// let profile = CancellationProfile(clock: runtime.clock)
/// runtime.addSink(profile)
/// …
/// print(profile.report.text)
/// ```
///
/// Times are of the runtime's clock. When an operation was told is read at the beginning of an end
/// and after every sixteenth operation of it.
@MainActor
public final class CancellationProfile: TraceSink {
  /// What is kept, and what counts as deaf.
  public struct Options: Sendable {
    /// An operation that stays longer than this after it was told to stop is deaf.
    public var deafAfter: Duration
    /// How many ends are kept as the newest, and how many as the slowest.
    public var ends: Int
    /// How many operations are kept for an end: the deaf ones that stayed longest, and of the others
    /// those that did, to a factor of two.
    public var operations: Int
    /// How many names of operations have a line of their own; the others share one.
    public var names: Int
    /// How many operations that have not stopped are followed.
    public var pending: Int

    /// Makes the options.
    public init(
      deafAfter: Duration = .seconds(1), ends: Int = 50, operations: Int = 20, names: Int = 500,
      pending: Int = 200_000
    ) {
      self.deafAfter = deafAfter
      self.ends = max(1, ends)
      self.operations = max(1, operations)
      self.names = max(1, names)
      self.pending = max(1, pending)
    }
  }

  let options: Options
  let clock: RuntimeClock
  /// The ends whose state step runs, the outermost first.
  private var open: [EndRecord] = []
  private(set) var pending = PendingOperations()
  private(set) var kept: KeptEnds
  private(set) var names: [String: NameRecord] = [:]
  private let others = NameRecord("other names")
  /// The name that was asked for last: many operations of an end share one.
  private var lastName: NameRecord
  private(set) var endCount = 0
  private(set) var unfollowed = 0
  private var lastRead = Duration.zero

  /// Makes a profile.
  ///
  /// - Parameter clock: the clock of the runtime that it is added to.
  public init(clock: RuntimeClock, options: Options = Options()) {
    self.clock = clock
    self.options = options
    kept = KeptEnds(limit: options.ends)
    lastName = others
  }

  /// Takes one event.
  public func record(_ event: TraceEvent) {
    switch event {
    case .operationQuiet(let id, _):
      if !pending.isEmpty, let left = pending.remove(id.rawValue) { stopped(id, left) }
    case .operationEnded(let id, let name, .cancelled(let cause)): told(id, name, cause)
    case .flowEnded: open.last?.flows += 1
    case .endBegan(let id, let name, let kind):
      lastRead = clock.now
      open.append(
        EndRecord(flow: id, name: name, kind: kind, began: lastRead, limit: options.operations))
    case .endApplied: applied()
    default: break
    }
  }

  private func told(_ id: OperationID, _ name: String, _ cause: CancellationCause) {
    // Never begun, or refused: nothing is told to stop.
    guard cause != .refused, cause != .alreadyRunning else { return }
    guard pending.count < options.pending else {
      unfollowed += 1
      return
    }
    let end = open.last
    if let end {
      end.told += 1
      end.left += 1
      if end.told % 16 == 0 { lastRead = clock.now }
    } else {
      lastRead = clock.now
    }
    pending.insert(id.rawValue, PendingOperations.Entry(name: name, told: lastRead, end: end))
  }

  private func stopped(_ id: OperationID, _ entry: PendingOperations.Entry) {
    let now = clock.now
    let stayed = now - entry.told
    let isDeaf = stayed > options.deafAfter
    line(entry.name).add(stayed, isDeaf: isDeaf)
    guard let end = entry.end else { return }
    end.left -= 1
    end.keep(Stay(id: id, name: entry.name, stayed: stayed, isOver: true), isDeaf: isDeaf)
    guard end.left == 0, end.isApplied else { return }
    end.quiet = now - end.began
    kept.settle(end)
  }

  private func applied() {
    guard let end = open.popLast() else { return }
    endCount += 1
    end.isApplied = true
    end.cancelled = clock.now - end.began
    if end.left == 0 { end.quiet = end.cancelled }
    kept.add(end)
  }

  private func line(_ name: String) -> NameRecord {
    if lastName.name == name { return lastName }
    if let line = names[name] {
      lastName = line
    } else if names.count < options.names {
      let made = NameRecord(name)
      names[name] = made
      lastName = made
    } else {
      return others
    }
    return lastName
  }

  /// The lines of counts by name, the one with the longest stay first.
  var lines: [NameRecord] {
    (names.values + (others.count > 0 ? [others] : []))
      .sorted { ($0.longest, $1.name) > ($1.longest, $0.name) }
  }
}

/// How long one operation stayed after it was told to stop.
public struct Stay: Sendable, Equatable {
  /// Which run.
  public let id: OperationID
  /// Its name.
  public let name: String
  /// How long it stayed, or has stayed until now.
  public let stayed: Duration
  /// False while its task runs on.
  public let isOver: Bool
}
