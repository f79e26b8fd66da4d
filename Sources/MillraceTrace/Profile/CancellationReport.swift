// What a profile found, as values: for text, JSON and HTML, and for tests.

import Millrace

/// What a `CancellationProfile` found until now.
public struct CancellationReport: Sendable, Equatable {
  /// One end of a flow, session or window.
  public struct End: Sendable, Equatable {
    /// The flow at the top; nil for the end of a session, a window or the runtime.
    public let flow: FlowID?
    /// Its name.
    public let name: String
    /// How it ended.
    public let kind: EndingKind
    /// When it began, since the runtime was made.
    public let began: Duration
    /// How many flows ended with it, itself included.
    public let flows: Int
    /// How many operations were told to stop.
    public let operations: Int
    /// How long it took until all of them were cancelled.
    public let timeToCancelled: Duration
    /// How long it took until the last of their tasks had finished; nil while some run.
    public let timeToQuiet: Duration?
    /// How many have not finished.
    public let left: Int
    /// The operations that stayed longest, the longest first; those that still run included.
    public let stays: [Stay]
  }

  /// The operations of one name that were cancelled.
  public struct Name: Sendable, Equatable {
    /// The name.
    public let name: String
    /// How many were cancelled, by whatever cause, and have stopped.
    public let stopped: Int
    /// How many of them stayed too long.
    public let deaf: Int
    /// How many have not stopped.
    public let running: Int
    /// How many of those have stayed too long already.
    public let runningDeaf: Int
    /// What half of those that stopped did not exceed, to a factor of two.
    public let median: Duration
    /// The longest stay, of those that run on too.
    public let longest: Duration
  }

  /// When the report was made, since the runtime was made.
  public let time: Duration
  /// What counts as deaf.
  public let deafAfter: Duration
  /// How many ends there were in all.
  public let endCount: Int
  /// The newest ends and the slowest, oldest first.
  public let ends: [End]
  /// By name, the longest stay first.
  public let names: [Name]
  /// How many cancelled operations were not followed, as too many were pending.
  public let unfollowed: Int

  /// The names of operations that stayed too long, or still do.
  public var deaf: [Name] { names.filter { $0.deaf + $0.runningDeaf > 0 } }
}

extension CancellationProfile {
  /// What has been found until now.
  public var report: CancellationReport {
    let now = clock.now
    let left = self.running
    var running: [String: (count: Int, deaf: Int, longest: Duration)] = [:]
    var staying: [ObjectIdentifier: [Stay]] = [:]
    for entry in left {
      let stayed = now - entry.told
      let before = running[entry.name] ?? (0, 0, .zero)
      running[entry.name] = (
        before.count + 1, before.deaf + (stayed > options.deafAfter ? 1 : 0),
        max(before.longest, stayed)
      )
      if let end = entry.end {
        staying[ObjectIdentifier(end), default: []].append(
          Stay(id: entry.id, name: entry.name, stayed: stayed, isOver: false))
      }
    }
    var names = self.names.map { line in
      let still = running.removeValue(forKey: line.name) ?? (0, 0, .zero)
      return CancellationReport.Name(
        name: line.name, stopped: line.count, deaf: line.deaf, running: still.count,
        runningDeaf: still.deaf, median: line.length(of: 0.5),
        longest: max(line.longest, still.longest))
    }
    names += running.map { name, still in
      CancellationReport.Name(
        name: name, stopped: 0, deaf: 0, running: still.count, runningDeaf: still.deaf,
        median: .zero, longest: still.longest)
    }
    // An end that is not quiet is kept as one of the newest, or else by what is left of it.
    var ends = kept.all
    let seen = Set(ends.map(ObjectIdentifier.init))
    var more: Set<ObjectIdentifier> = []
    for entry in left.compactMap(\.end) where ends.count < 3 * options.ends {
      let id = ObjectIdentifier(entry)
      if !seen.contains(id), entry.isApplied, more.insert(id).inserted { ends.append(entry) }
    }
    return CancellationReport(
      time: now, deafAfter: options.deafAfter, endCount: endCount,
      ends: ends.sorted { $0.began < $1.began }.map { end in
        let stays = (end.stays + (staying[ObjectIdentifier(end)] ?? []))
          .sorted { ($0.stayed, $1.id.rawValue) > ($1.stayed, $0.id.rawValue) }
        return CancellationReport.End(
          flow: end.flow, name: end.name, kind: end.kind, began: end.began, flows: end.flows,
          operations: end.told, timeToCancelled: end.cancelled, timeToQuiet: end.quiet,
          left: end.left, stays: Array(stays.prefix(options.operations)))
      },
      names: names.sorted { ($0.longest, $1.name) > ($1.longest, $0.name) }, unfollowed: unfollowed)
  }
}
