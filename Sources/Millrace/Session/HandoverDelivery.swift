// Records that outlive their flow. Keeps R7: they belong to the session, and at a sign-out to the
// account's ledger or to nobody, as the sign-out says.

extension RuntimeCore {
  /// Takes a record from a flow of this session, also while its end is told (R7).
  func handOver(_ record: Handover, from owner: Owner) -> Acceptance {
    guard sessions.deliver != nil, let session = owner.session else {
      return refuse(.noSession, owner)
    }
    if session.isOpen {
      deliver(record, in: session)
      return .accepted
    }
    guard sessions.closed[session.value.epoch]?.handovers == .keep else {
      return refuse(.noSession, owner)
    }
    if let open = sessions.open, open.value.account == session.value.account {
      deliver(record, in: open)
    } else {
      sessions.ledger[session.value.account, default: []].append(record)
    }
    return .accepted
  }

  func deliver(_ record: Handover, in session: SessionOwner) {
    guard let deliver = sessions.deliver else { return }
    let value = session.value
    let number = nextNumber()
    session.undelivered[number] = record
    let settled: @MainActor (Result<Void, any Error>) -> Void = {
      [weak session, weak self] result in
      guard let session, let self, session.isOpen else { return }
      session.undelivered[number] = nil
      if case .failure(let error) = result {
        self.trace { .problem("the record \(record.name) is kept, not delivered: \(error)") }
        self.sessions.ledger[value.account, default: []].append(record)
      }
    }
    Operation(
      name: "hand over \(record.name)", owner: session,
      body: { try await deliver(record, value) }, then: settled
    ).launch()
  }
}
