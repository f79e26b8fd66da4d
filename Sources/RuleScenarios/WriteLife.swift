// R29 to R32 as a life of random acts: a few writes, an app that submits and takes back, a server and a
// journal with moods, accounts that come and go. At the end all is well again, and each write must have
// come to the end that was told.

import Millrace
import MillraceTesting
import RaceLab

@MainActor
private final class WriteLife {
  enum Act: CaseIterable {
    case submit, withdraw, retry, report, offline, online, journalFails, journalWorks
    case signOut, signOutDiscarding, signInA, signInB, upgrade, credential, wait, waitLong, confirm
  }

  let lab: Lab
  let server: WriteServer
  let journal = FaultyJournal()
  let runtime: FlowRuntime
  let window: FlowWindow
  let writes = (1...3).map { makeWrite(UInt8($0)) }
  private(set) var told: [Intent: [WritePhase]] = [:]
  /// Key: a write that was taken. Value: under whom.
  private var home: [Intent: Account] = [:]
  private var withdrawn: Set<Intent> = []
  private var discards = false
  private let remembers: Int
  /// What was done, for messages.
  private var history: [String] = []

  init(_ lab: Lab) {
    self.lab = lab
    server = WriteServer()
    remembers = lab.choose(from: [256, 1])
    runtime = FlowRuntime(
      clock: lab.clock,
      writes: WriteOptions(
        service: server, journal: journal, callLimit: .seconds(30),
        retry: RetryPolicy(attempts: 3, first: .seconds(1), jitter: 0),
        confirmation: lab.flip() ? RetryPolicy(attempts: 2, jitter: 0) : nil,
        reconciliation: lab.choose(from: [.resend, .ask]), concurrency: lab.choose(from: [4, 1]),
        remembered: remembers, seed: 1))
    runtime.signIn(Account("A"))
    window = runtime.openWindow { _ in Root { Blank($0) } }
    runtime.addSink(
      PhaseSink { [weak self] intent, phase in self?.told[intent, default: []].append(phase) })
  }

  var scope: FlowScope<Never>? { (window.rootFlow as? Blank)?.scope }
  var account: Account? { runtime.session?.account }

  func act(_ act: Act) async {
    let write = lab.choose(from: writes)
    history.append("\(act) \(write.body) as \(account.map(\.id) ?? "-")")
    switch act {
    case .submit:
      // An intent is of one account: a form is not kept over a change of who is signed in.
      guard let scope, home[write.intent] == nil || home[write.intent] == account else { break }
      let known = runtime.writes?.entry(for: write.intent)
      let answer = scope.submit(write)
      if answer.isAccepted {
        lab.check(runtime.session != nil, "a write without a session is taken")
        lab.check(known == nil, "a write that is known is taken again")
        home[write.intent] = account
        withdrawn.remove(write.intent)
      }
      if known != nil {
        let other = Write("another", intent: write.intent, body: [0])
        lab.check(scope.submit(other) == .refused(.intentInUse), "an intent stands for two bodies")
      }
    case .withdraw:
      let wasSent = told[write.intent]?.contains(.sent) ?? false
      if scope?.withdraw(write.intent) == .accepted {
        withdrawn.insert(write.intent)
        lab.check(!wasSent || remembers == 1, "a write is taken back after it was sent")
      }
    case .retry:
      let isOver = told[write.intent]?.last?.isFinal ?? false
      if scope?.retry(write.intent) == .accepted {
        lab.check(!isOver, "a write that is over is set going")
      }
    case .report:
      if let account { runtime.report(.confirmed(receipt: [7]), for: write.intent, of: account) }
    case .offline: runtime.connectivity = .offline
    case .online: runtime.connectivity = .online
    case .journalFails: await journal.failCommits(with: JournalError(.full, ""))
    case .journalWorks: await journal.failCommits(with: nil)
    case .signOut: runtime.signOut()
    case .signOutDiscarding:
      if runtime.signOut(unsent: .discard).isAccepted { discards = true }
    case .signInA: runtime.signIn(Account("A"))
    case .signInB: runtime.signIn(Account("B"))
    case .upgrade:
      runtime.upgrade(to: Account("B"))
      // They are B's now, or A's: the form is not there any more.
      for intent in home.keys { home[intent] = Account("left") }
    case .credential: scope?.updateCredential([9])
    case .wait: await lab.advance(by: .seconds(1))
    case .waitLong: await lab.advance(by: .seconds(40))
    case .confirm: await server.confirm(write.intent)
    }
  }

  func fate() -> WriteServer.Fate {
    switch lab.choose(8) {
    case 1: .confirm
    case 2: .reject("no")
    case 3: .loseRequest
    case 4: .loseAnswer
    case 5: .fail(.notDelivered)
    case 6: .fail(.busy(retryAfter: .seconds(3)))
    case 7: .fail(.signedOut)
    default: .accept
    }
  }

  /// All is well again: both accounts come back, and what was paused is set going.
  func end() async throws {
    runtime.connectivity = .online
    await journal.failCommits(with: nil)
    for account in ["A", "B", "A"] {
      runtime.signIn(Account(account))
      for _ in 0..<3 {
        await lab.settle()
        await lab.advance(by: .seconds(600))
        for entry in runtime.writes?.entries ?? [] where entry.pause != nil {
          scope?.retry(entry.write.intent)
        }
      }
      await lab.settle()
      try await judge(Account(account))
    }
    runtime.signOut()
    await lab.advance(by: .seconds(60))
    try lab.require(runtime.counts.operations == 0, "work goes on after the session")
  }

  private func judge(_ account: Account) async throws {
    let kept = await journal.phases(of: account)
    let entries = try found(runtime.writes).entries
    try lab.require(runtime.writes?.problem == nil && runtime.writes?.isLoaded == true)
    try lab.require(runtime.writes?.unknown.isEmpty == true, "what is unknown is not cleared up")
    for entry in entries {
      let phase = try found(entry.phase)
      try lab.require(entry.pause == nil, "\(phase) waits for somebody: \(entry)")
      switch phase {
      case .accepted, .confirmed, .rejected:
        try lab.require(kept[entry.write.intent] == phase, "the journal has \(kept), not \(phase)")
      case .withdrawn, .refused:
        try lab.require(kept[entry.write.intent] == nil, "the journal has what was taken back")
      case .validated, .sent, .unknown: lab.fail("\(phase) does not go on")
      }
    }
    let known = Set(entries.map(\.write.intent))
    try lab.require(
      kept.keys.allSatisfy(known.contains), "the journal has \(kept), told are \(known)")
  }

  /// What was told of each write, and what the server has.
  func judgeAll() async throws {
    let records = await server.records
    let calls = await server.calls
    for write in writes {
      let phases = told[write.intent] ?? []
      let recorded = records.count { $0.intent == write.intent }
      try lab.require(recorded <= 1, "it is done \(recorded) times")
      if phases.contains(.accepted) || phases.contains(.confirmed) {
        try lab.require(recorded == 1 || phases.last == .confirmed, "it is told, and not done")
      }
      if phases.last == .withdrawn {
        let isMeant = withdrawn.contains(write.intent) || discards || remembers == 1
        try lab.require(isMeant, "nobody has taken it back")
        try lab.require(recorded == 0 || remembers == 1, "it is taken back, and done")
      }
      if home[write.intent] == nil { try lab.require(phases.isEmpty, "\(phases)") }
      let sends = calls.filter { $0.key == write.intent.key && $0.verb == "send" }
      let senders = Set(sends.map(\.account.id)).sorted()
      try lab.require(
        senders.count <= 1 || remembers == 1,
        "it goes out under \(senders) after \(history): \(phases)")
    }
  }
}

extension RuleScenarios {
  @ScenarioList static var lives: [Scenario] {
    // Fault: any by which a write is lost, doubled, told wrongly or left behind.
    rule("random lives of writes come to the end that is told", 29, 30, 31, 32) { lab in
      let life = WriteLife(lab)
      for _ in 0..<2 { await life.server.next(life.fate()) }
      await life.act(.submit)
      for _ in 0..<5 {
        await life.act(lab.choose(from: WriteLife.Act.allCases))
        if lab.flip() { await lab.settle() }
      }
      try await life.end()
      try await life.judgeAll()
    }
  }
}
