// Remote writes: nothing lost, nothing twice, and every phase means what it says.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor
private final class Form: Flow {
  typealias Output = String
  let scope: FlowScope<String>
  let account: String
  init(_ scope: FlowScope<String>, _ account: String) {
    self.scope = scope
    self.account = account
  }
}

/// A runtime with a server and a journal; the root is a form of the account that is signed in.
@MainActor
private final class Desk {
  let runtime: FlowRuntime
  let server: WriteServer
  let window: FlowWindow
  private(set) var phases: [Intent: [WritePhase]] = [:]

  init(
    _ lab: Lab, _ server: WriteServer, journal: any WriteJournal = MemoryWriteJournal(),
    store: (any SessionStore)? = nil, signedInAs account: String? = "A",
    confirmation: RetryPolicy? = nil, host: (any Host)? = nil
  ) {
    self.server = server
    runtime = FlowRuntime(
      clock: lab.clock, store: store,
      writes: WriteOptions(
        service: server, journal: journal, confirmation: confirmation, seed: 1))
    if let account { runtime.signIn(Account(account)) }
    window = runtime.openWindow(host: host) { state in
      Root { Form($0, state.session?.account.id ?? "nobody") }
    }
  }

  func form() throws -> Form { try #require(window.rootFlow as? Form) }

  /// Notes the phases of an intent as a flow of the session hears them.
  func follow(_ intent: Intent) throws {
    let scope = try form().scope
    scope.task { [self] in
      for await phase in scope.watch(intent) { phases[intent, default: []].append(phase) }
    }
  }
}

private func makeWrite(_ number: UInt8) -> Write {
  Write("loan", intent: Intent(key: "key \(number)"), body: [number])
}

@Suite("Writes") @MainActor struct WriteCases {
  // The client gives up, the server had done the work, the retry must not do it twice.
  @Test func c47_timedOutHereDoneThereSentAgain() async throws {
    try await Lab.run { lab in
      let silent = lab.gate("answer", .deaf)
      let desk = Desk(lab, WriteServer(.holdAnswer(silent), .accept))
      let write = makeWrite(1)
      #expect(try desk.form().scope.submit(write) == .accepted)
      try desk.follow(write.intent)
      await lab.settle()
      await lab.advance(by: .seconds(30))
      #expect(desk.phases[write.intent] == [.validated, .sent, .unknown])
      await lab.advance(by: .seconds(2))
      #expect(desk.phases[write.intent] == [.validated, .sent, .unknown, .accepted])
      let calls = await desk.server.calls("send")
      let records = await desk.server.records
      #expect(calls.map(\.key) == ["key 1", "key 1"])
      #expect(records == [write])
      silent.open()
      await lab.settle()
      #expect(desk.runtime.writes?.entry(for: write.intent)?.phase == .accepted)
    }
  }

  // Offline the store has the data at once; a flow that awaits the call must not hang on the network.
  @Test func c50_offlineAndTheFlowWaitsForTheServer() async throws {
    try await Lab.run { lab in
      let desk = Desk(lab, WriteServer())
      desk.runtime.connectivity = .offline
      let write = makeWrite(1)
      let scope = try desk.form().scope
      var went: [String] = []
      scope.task("quick") {
        _ = try await scope.write(write, until: .validated)
        went.append("on")
      }
      await lab.settle()
      #expect(went == ["on"])
      try desk.follow(write.intent)
      let patient = scope.task("patient") {
        do {
          _ = try await scope.phase(of: write.intent, until: .confirmed)
          went.append("confirmed")
        } catch { went.append("\(error)") }
      }
      let other = scope.task("other") {
        _ = try await scope.phase(of: write.intent, until: .confirmed)
        went.append("confirmed for the other")
      }
      await lab.advance(by: .seconds(3600))
      #expect(went == ["on"] && patient.isCurrent)
      patient.cancel()
      await lab.settle()
      #expect(went == ["on", "the operation was cancelled: requested"])
      var calls = await desk.server.calls("send")
      #expect(calls.isEmpty)
      #expect(desk.runtime.writes?.entry(for: write.intent)?.phase == .validated)

      desk.runtime.connectivity = .online
      await lab.settle()
      desk.runtime.report(.confirmed(), for: write.intent, of: Account("A"))
      await lab.settle()
      calls = await desk.server.calls("send")
      #expect(calls.count == 1)
      #expect(desk.phases[write.intent] == [.validated, .sent, .accepted, .confirmed])
      #expect(went.last == "confirmed for the other" && !other.isCurrent)
    }
  }

  // Cancel shows the form again, then the success page jumps in; or nobody knows what was done.
  @Test func c51_cancelDuringSendingAndTheServerHadTakenIt() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer")
      let desk = Desk(lab, WriteServer(.holdAnswer(answer)))
      let log = TraceLog()
      desk.runtime.addSink(log)
      let write = makeWrite(1)
      let form = try desk.form()
      var navigated = 0
      let progress = form.scope.start(as: .sheet) { Form($0, "progress") }
      let scope = try #require(progress.flow).scope
      scope.task {
        _ = try await scope.write(write, until: .accepted)
        navigated += 1
        scope.start(as: .push) { Form($0, "success") }
      }
      await lab.settle()
      #expect(answer.waiterCount == 1)
      progress.dismiss()
      await lab.settle()
      #expect(answer.waiterCount == 1, "the write goes on")
      answer.open()
      await lab.settle()
      let ending = await progress.ending
      #expect(ending.kind == .dismissed && navigated == 0)
      let entry = try #require(form.scope.writes?.entry(for: write.intent))
      #expect(entry.phase == .accepted && entry.write == write)
      #expect(entry.phases == [.validated, .sent, .accepted])
      let status = form.scope.start { Form($0, "status") }
      let statusScope = try #require(status.flow).scope
      #expect(statusScope.writes?.entry(for: write.intent)?.phase == .accepted)
    }
  }

  @Test func c51_cancelBeforeSending_withdraws() async throws {
    try await Lab.run { lab in
      let journal = FaultyJournal()
      let desk = Desk(lab, WriteServer(), journal: journal)
      desk.runtime.connectivity = .offline
      let write = makeWrite(1)
      let scope = try desk.form().scope
      scope.submit(write)
      try desk.follow(write.intent)
      await lab.settle()
      #expect(scope.withdraw(write.intent) == .accepted)
      await lab.settle()
      desk.runtime.connectivity = .online
      await lab.advance(by: .seconds(60))
      let calls = await desk.server.calls("send")
      let kept = await journal.phases(of: Account("A"))
      #expect(calls.isEmpty && kept.isEmpty)
      #expect(desk.phases[write.intent] == [.validated, .withdrawn])
    }
  }

  // Offline work of A is sent after A has left, with the credentials of B.
  @Test func c52_queuedWritesGoOutUnderAnotherAccount() async throws {
    try await Lab.run { lab in
      let desk = Desk(lab, WriteServer())
      desk.runtime.connectivity = .offline
      let writes = [makeWrite(1), makeWrite(2)]
      for write in writes { try desk.form().scope.submit(write) }
      await lab.settle()
      desk.runtime.signOut(unsent: .keep)
      desk.runtime.signIn(Account("B"))
      await lab.settle()
      desk.runtime.connectivity = .online
      await lab.advance(by: .seconds(3600))
      var calls = await desk.server.calls("send")
      #expect(calls.isEmpty)
      let ofB = try #require(try desk.form().scope.writes)
      #expect(ofB.account == Account("B") && ofB.entries.isEmpty)

      desk.runtime.signOut()
      let third = try #require(desk.runtime.signIn(Account("A"), credential: [3]))
      await lab.settle()
      calls = await desk.server.calls("send")
      #expect(calls.map(\.key) == ["key 1", "key 2"])
      #expect(calls.allSatisfy { $0.account == Account("A") && $0.epoch == third.epoch })
      #expect(calls.allSatisfy { $0.credential == [3] })
    }
  }

  // A repair cleared the queue even when the new login failed.
  @Test func c52_failedLoginLeavesTheQueueAlone() async throws {
    try await Lab.run { lab in
      let desk = Desk(lab, WriteServer())
      desk.runtime.connectivity = .offline
      let write = makeWrite(1)
      let form = try desk.form()
      form.scope.submit(write)
      await lab.settle()
      struct WrongPassword: Error {}
      form.scope.perform("login as B") {
        throw WrongPassword()
      } then: { (_: Result<Int, any Error>) in
      }
      await lab.settle()
      #expect(desk.runtime.session?.account == Account("A"))
      #expect(desk.runtime.writes?.pending.map(\.write) == [write])
      desk.runtime.connectivity = .online
      await lab.settle()
      let calls = await desk.server.calls("send")
      #expect(calls.map(\.key) == ["key 1"])
    }
  }

  // After relaunch the entry stays in "sending" for ever: nobody works on it.
  @Test(arguments: [true, false]) func c54_processKilledWhileSending(_ known: Bool) async throws {
    try await Lab.run { lab in
      let write = makeWrite(1)
      let account = Account("A")
      let server = WriteServer()
      if known {
        let before = Desk(lab, server)
        try before.form().scope.submit(write)
        await lab.settle()
      }
      let journal = MemoryWriteJournal([
        WriteRecord(account: account, write: write, phase: .sent, sequence: 1)
      ])
      let store = MemorySessionStore(StoredSession(account: Account("A")))
      let desk = Desk(lab, server, journal: journal, store: store, signedInAs: nil)
      desk.runtime.connectivity = .offline
      await lab.settle()
      #expect(desk.runtime.writes?.unknown.map(\.write) == [write])
      try desk.follow(write.intent)
      desk.runtime.connectivity = .online
      await lab.settle()
      let calls = await server.calls("send")
      let records = await server.records
      #expect(calls.count == (known ? 2 : 1) && Set(calls.map(\.key)) == ["key 1"])
      #expect(records == [write])
      #expect(desk.phases[write.intent] == [.validated, .sent, .unknown, .accepted])
    }
  }

  @Test func c54_processKilledWhileSending_otherAccount() async throws {
    try await Lab.run { lab in
      let write = makeWrite(1)
      let journal = FaultyJournal([
        WriteRecord(account: Account("A"), write: write, phase: .sent, sequence: 1)
      ])
      let desk = Desk(lab, WriteServer(), journal: journal, signedInAs: "B")
      await lab.advance(by: .seconds(3600))
      let calls = await desk.server.calls
      let kept = await journal.phases(of: Account("A"))
      #expect(calls.isEmpty && kept == [write.intent: .sent])
      #expect(desk.runtime.writes?.entries.isEmpty == true)
    }
  }

  // Two quick taps send the form twice.
  @Test func c35_doubleTap_sendsOnce() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer")
      let desk = Desk(lab, WriteServer(.holdAnswer(answer)))
      let write = makeWrite(1)
      let scope = try desk.form().scope
      #expect(scope.submit(write) == .accepted)
      #expect(scope.submit(write) == .refused(.alreadyRunning))
      await lab.settle()
      #expect(scope.submit(write) == .refused(.alreadyRunning))
      let other = Write("loan", intent: write.intent, body: [9])
      #expect(scope.submit(other) == .refused(.intentInUse), "the body is frozen with the key")
      var thrown: WriteError?
      scope.task {
        do { _ = try await scope.write(write, until: .accepted) } catch let error as WriteError {
          thrown = error
        }
      }
      await lab.settle()
      #expect(thrown == .refused(.alreadyRunning))
      answer.open()
      await lab.settle()
      let calls = await desk.server.calls("send")
      #expect(calls.map(\.key) == ["key 1"])
      // The same body meant again is another intent.
      let again = Write("loan", intent: Intent(key: "key 2"), body: write.body)
      #expect(scope.submit(again) == .accepted)
    }
  }

  // Login stored tokens and switched the user; then the profile failed, and login is reported failed.
  @Test(arguments: [true, false]) func c56_halfDoneAndReportedAsFailed(_ commits: Bool) async throws
  {
    try await Lab.run { lab in
      struct Failed: Error {}
      let store = MemorySessionStore(
        StoredSession(account: Account("A"), credential: Array("a1".utf8)))
      let profile = lab.gate("profile")
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      var report: [String] = []
      let window = runtime.openWindow { state in
        Root(Form.self) { scope in
          let form = Form(scope, state.session?.account.id ?? "nobody")
          guard form.account == "B" else { return form }
          // Step 2 belongs to the new session: it can fail, and does not undo step 1.
          scope.perform("profile") {
            try await profile.wait()
          } then: { result in
            if case .failure = result { report.append("profile failed") }
          }
          return form
        }
      }
      await lab.settle()
      let form = try #require(window.rootFlow as? Form)
      form.scope.perform("step 1") {
        if !commits { throw Failed() }
        return Array("b1".utf8)
      } then: { result in
        switch result {
        case .success(let token):
          form.scope.signIn(Account("B"), credential: token)
          report.append("signed in as \(runtime.session?.account.id ?? "nobody")")
        case .failure: report.append("sign-in failed as \(runtime.session?.account.id ?? "nobody")")
        }
      }
      await lab.settle()
      profile.fail(Failed())
      await lab.settle()
      let stored = await store.stored
      if commits {
        #expect(report == ["signed in as B", "profile failed"])
        #expect(runtime.session?.account == Account("B"))
        #expect(stored == StoredSession(account: Account("B"), credential: Array("b1".utf8)))
      } else {
        #expect(report == ["sign-in failed as A"])
        #expect(runtime.session?.account == Account("A"))
        #expect(stored == StoredSession(account: Account("A"), credential: Array("a1".utf8)))
      }
    }
  }

  // A flow whose place a gesture still decides about does nothing yet, and one who waits in it, in a
  // task of his own, waits for that too.
  @Test(arguments: [true, false]) func writeInAHeldFlow_waitsForTheGesture(
    completes: Bool
  ) async throws {
    try await Lab.run { lab in
      let host = RecordingHost()
      let desk = Desk(lab, WriteServer(), host: host)
      host.answerAll()
      await lab.settle()
      let old = try desk.form()
      var held: Form?
      desk.window.replaceRoot(
        Root(Form.self) { scope in
          let form = Form(scope, "A")
          held = form
          return form
        }, interactively: true)
      await lab.settle()
      let form = try #require(held)
      host.beginGesture(old.scope.id, to: form.scope.id)
      let write = makeWrite(1)
      var outcome: Result<WritePhase?, any Error>?
      Task {
        do {
          outcome = .success(try await form.scope.write(write, until: .accepted).phase)
        } catch { outcome = .failure(error) }
      }
      await lab.settle()
      #expect(outcome == nil)
      let before = await desk.server.records
      #expect(before == [])
      if completes {
        host.completeGesture(old.scope.id, to: form.scope.id)
      } else {
        host.cancelGesture(old.scope.id, to: form.scope.id)
      }
      await lab.settle()
      let records = await desk.server.records
      if completes {
        #expect(try outcome?.get() == .accepted)
        #expect(records == [write])
      } else {
        #expect(throws: OperationCancelled(.flowEnded)) { try outcome?.get() }
        #expect(records == [])
      }
    }
  }
}
