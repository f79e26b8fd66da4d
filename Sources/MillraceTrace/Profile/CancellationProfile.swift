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
  /// The ends whose state step runs, the outermost first, and the last of them.
  private var open: [EndRecord] = []
  private var innermost: EndRecord?
  private var pending = PendingOperations()
  private(set) var kept: KeptEnds
  /// Index: the number of a name. The first stands for all names that have no line of their own.
  private var lines = [NameRecord("other names")]
  private var lineNumbers: [String: Int] = [:]
  /// The one that was asked for last: many operations of an end share a name.
  private var lastLine = 0
  /// Key: a pending operation whose name has no line. Value: its name.
  private var otherNames: [UInt64: String] = [:]
  /// Key: the number of an end of which operations are pending.
  private var unquiet: [Int: EndRecord] = [:]
  private var lastEnd: EndRecord?
  private var begun = 0
  private(set) var endCount = 0
  private(set) var unfollowed = 0
  private var lastRead = Duration.zero

  /// Makes a profile.
  ///
  /// - Parameters:
  ///   - clock: the clock of the runtime that it is added to.
  ///   - options: what is kept, and what counts as deaf.
  public init(clock: RuntimeClock, options: Options = Options()) {
    self.clock = clock
    self.options = options
    kept = KeptEnds(limit: options.ends)
  }

  /// Takes one event.
  public func record(_ event: TraceEvent) {
    switch event {
    case .operationQuiet(let id, _):
      if !pending.isEmpty, let left = pending.remove(id.rawValue) { stopped(left) }
    case .operationEnded(let id, let name, .cancelled(let cause)): told(id, name, cause)
    case .flowEnded: innermost?.flows += 1
    case .endBegan(let id, let name, let kind): began(id, name, kind)
    case .endApplied: applied()
    default: break
    }
  }

  private func began(_ id: FlowID?, _ name: String, _ kind: EndingKind) {
    lastRead = clock.now
    begun += 1
    let end = EndRecord(
      number: begun, flow: id, name: name, kind: kind, began: lastRead, limit: options.operations)
    open.append(end)
    innermost = end
  }

  private func told(_ id: OperationID, _ name: String, _ cause: CancellationCause) {
    // Never begun, or refused: nothing is told to stop.
    guard cause != .refused, cause != .alreadyRunning else { return }
    guard pending.count < options.pending else {
      unfollowed += 1
      return
    }
    var number = 0
    if let end = innermost {
      if end.left == 0 { unquiet[end.number] = end }
      end.told += 1
      end.left += 1
      if end.told % 16 == 0 { lastRead = clock.now }
      number = end.number
    } else {
      lastRead = clock.now
    }
    let line = line(of: name)
    if line == 0 { otherNames[id.rawValue] = name }
    pending.insert(.init(key: id.rawValue, told: lastRead, name: line, end: number))
  }

  private func stopped(_ entry: PendingOperations.Entry) {
    let now = clock.now
    let stayed = now - entry.told
    let isDeaf = stayed > options.deafAfter
    let line = lines[entry.name]
    line.add(stayed, isDeaf: isDeaf)
    let name = entry.name == 0 ? otherNames.removeValue(forKey: entry.key) ?? "" : line.name
    guard let end = end(entry.end) else { return }
    end.left -= 1
    if end.keeps(stayed, isDeaf: isDeaf) {
      end.keep(
        Stay(id: OperationID(rawValue: entry.key), name: name, stayed: stayed, isOver: true))
    }
    guard end.left == 0, end.isApplied else { return }
    end.quiet = now - end.began
    kept.settle(end)
    forget(end)
  }

  private func applied() {
    guard let end = open.popLast() else { return }
    innermost = open.last
    endCount += 1
    end.isApplied = true
    end.cancelled = clock.now - end.began
    if end.left == 0 {
      end.quiet = end.cancelled
      forget(end)
    }
    kept.add(end)
  }

  private func end(_ number: Int) -> EndRecord? {
    if let lastEnd, lastEnd.number == number { return lastEnd }
    guard let end = unquiet[number] else { return nil }
    lastEnd = end
    return end
  }

  private func forget(_ end: EndRecord) {
    unquiet[end.number] = nil
    lastEnd = nil
  }

  /// The number of this name's line; zero if there is no place for one.
  private func line(of name: String) -> Int {
    if lastLine > 0, lines[lastLine].name == name { return lastLine }
    if let number = lineNumbers[name] {
      lastLine = number
    } else if lines.count <= options.names {
      lastLine = lines.count
      lineNumbers[name] = lastLine
      lines.append(NameRecord(name))
    } else {
      return 0
    }
    return lastLine
  }

  /// The lines of counts by name, the one with the longest stay first.
  var names: [NameRecord] {
    lines.filter { $0.count > 0 }.sorted { ($0.longest, $1.name) > ($1.longest, $0.name) }
  }

  /// What has not stopped, in order of the numbers.
  var running: [Running] {
    pending.all.map { entry in
      Running(
        id: OperationID(rawValue: entry.key),
        name: otherNames[entry.key] ?? lines[entry.name].name, told: entry.told,
        end: unquiet[entry.end])
    }
  }

  /// An operation that was told to stop and has not stopped.
  struct Running {
    let id: OperationID
    let name: String
    let told: Duration
    let end: EndRecord?
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
