// What a write has come to. Keeps R30: a phase is told once, and never goes back.
//
//   submit ─▶ validated ─▶ sent ───────▶ accepted ─▶ confirmed
//     │           │         │  └▶ unknown ─▶┘ │
//     │           │         │        │        │
//     ▼           ▼         ▼        ▼        ▼
//  refused,   withdrawn            rejected
//  rejected,
//  withdrawn
//
// What is unknown goes out again, and is not told as sent a second time; what is confirmed at once is told
// as accepted first.
//
// Who owns what: the session owns the ledger of its account, the ledger owns the write. A flow owns
// no more than its watching, which ends with it (R29).
//
// What the journal holds (R30, R32), so that a process may die anywhere:
//
//   until `validated` is told   nothing, or validated: a submit that was not answered
//   validated                   validated, durable before it is told; if not: refused
//   sent                        sent, durable before the first byte leaves
//   unknown                     sent: after a relaunch the one is the other
//   accepted … rejected         the same, written before it is told. If the journal fails here it is
//                               told all the same, since the server has it, and written again later
//   refused, withdrawn          nothing; `withdrawn` is told when the journal has forgotten the write

/// What a write has come to.
public enum WritePhase: String, Sendable, Hashable, Codable, CaseIterable {
  /// Checked here and kept durably: it will go out, if nobody withdraws it.
  case validated
  /// On its way, or about to be. From here on it cannot be withdrawn.
  case sent
  /// It was sent and no answer came: it may have been done. It is asked about with the same key.
  case unknown
  /// The server has it.
  case accepted
  /// The server has it for good. Final.
  case confirmed
  /// The server, or the check before sending, said no. Final.
  case rejected
  /// Taken back before it was sent. Final.
  case withdrawn
  /// The journal could not keep it, or it could not be checked. Final: nothing was sent, and the
  /// same intent may be submitted again.
  case refused

  /// True if no other phase follows.
  public var isFinal: Bool {
    switch self {
    case .validated, .sent, .unknown, .accepted: false
    case .confirmed, .rejected, .withdrawn, .refused: true
    }
  }

  /// Whether a write that has come to this phase has come to the milestone.
  public func reaches(_ milestone: WriteMilestone) -> Bool {
    switch self {
    case .validated: milestone == .validated
    case .sent, .unknown: milestone <= .sent
    case .accepted: milestone <= .accepted
    case .confirmed: true
    case .rejected, .withdrawn, .refused: false
    }
  }

  /// Whether a write in this phase may come to that one.
  func precedes(_ next: WritePhase) -> Bool { !isFinal && rank < next.rank }

  private var rank: Int {
    switch self {
    case .validated: 0
    case .sent: 1
    case .unknown: 2
    case .accepted: 3
    case .confirmed: 4
    case .rejected, .withdrawn, .refused: 5
    }
  }

  /// The phases before this one that are true of every write in it, in order.
  var implied: [WritePhase] {
    switch self {
    case .validated, .withdrawn, .refused, .rejected: []
    case .sent: [.validated]
    case .unknown, .accepted: [.validated, .sent]
    case .confirmed: [.validated, .sent, .accepted]
    }
  }
}

/// What one who waits for a write can wait for. "Done" alone does not exist: a flow says which.
public enum WriteMilestone: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// It is kept, and will go out: enough to let the user go on, offline too.
  case validated
  /// It is on its way.
  case sent
  /// The server has it.
  case accepted
  /// The server has it for good.
  case confirmed

  /// The order in which they are reached.
  public static func < (a: WriteMilestone, b: WriteMilestone) -> Bool { a.rawValue < b.rawValue }
}
