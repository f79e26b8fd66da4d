// What tests ask of the events that a trace has kept.

import Millrace

extension [TraceEvent] {
  /// How many operations of this name were started.
  package func starts(of name: String) -> Int {
    count { if case .operationStarted(_, name, _) = $0 { true } else { false } }
  }

  /// How the flow ended: one element, or none while it runs.
  package func endings(of id: FlowID) -> [EndingKind] {
    compactMap { if case .flowEnded(id, _, let kind) = $0 { kind } else { nil } }
  }

  /// The flows that have ended, first to last.
  package var endedInOrder: [FlowID] {
    compactMap { if case .flowEnded(let id, _, _) = $0 { id } else { nil } }
  }

  /// How the operations of this name came out, in order.
  package func outcomes(of name: String) -> [OutcomeKind] {
    compactMap { if case .operationEnded(_, name, let kind) = $0 { kind } else { nil } }
  }

  /// How often a result of operations of this name was refused as stale.
  package func stale(_ name: String) -> Int {
    count { if case .refused(.staleResult, name, _, _) = $0 { true } else { false } }
  }
}
