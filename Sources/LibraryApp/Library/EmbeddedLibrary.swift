// The library that comes with the app: it runs in the process, keeps everything in memory, and can
// be made slow and faulty. It checks its input as a server would.

import Millrace

/// A library in this process.
///
/// An actor: calls are carried out one at a time, each in one step after its latency, so a call that
/// was cancelled on the way has done nothing.
package actor EmbeddedLibrary: LibraryService {
  /// Days a loan lasts.
  package static let loanDays = 21
  /// The most loans a member may have.
  package static let loanLimit = 5

  let books: Catalogue
  private let today: CalendarDate
  private let weather: LibraryWeather
  private let clock: any Clock<Duration>
  private var tokens: SplitMix64
  private var members: [String: (pin: String, member: Member)] = [:]
  private var lastMember = 0
  private var valid: Set<Credential> = []
  private var counts: [CallSite: Int] = [:]

  // What the desk changes; see EmbeddedDesk.swift.
  var loans: [Receipt] = []
  var receiptsMade = 0
  var readingLists: [Member.ID: [Book.ID]] = [:]
  var notes: [Member.ID: [Note]] = [:]
  var answered: [RequestKey: (request: LoanRequest, receipts: [Receipt])] = [:]

  private struct CallSite: Hashable {
    let call: LibraryCall
    let member: Member.ID?
  }

  /// Opens a library.
  ///
  /// - Parameters:
  ///   - catalogue: the books; one copy of each.
  ///   - today: the day on which all loans begin.
  ///   - weather: latency and faults; also the seed of the tokens.
  ///   - clock: what latency is measured by.
  package init(
    catalogue: Catalogue,
    today: CalendarDate,
    weather: LibraryWeather = .calm,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    books = catalogue
    self.today = today
    self.weather = weather
    self.clock = clock
    tokens = SplitMix64(seed: weather.seed)
  }

  /// The calls made so far for `member` (nil: those made without one), by kind.
  package func calls(by member: Member.ID?) -> [LibraryCall: Int] {
    var made: [LibraryCall: Int] = [:]
    for (site, count) in counts where site.member == member { made[site.call] = count }
    return made
  }

  package func register(name: String, pin: String) async throws -> LibraryCard {
    try await carryOut(.register, for: nil) {
      let name = singleLine(name)
      guard name.contains(where: \.isLetter) else { throw LibraryError.unusableName }
      guard pin.utf8.count == 4, pin.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw LibraryError.unusablePIN
      }
      return admit(Member(id: Member.ID(lastMember + 1), name: name), pin: pin)
    }
  }

  /// Makes a member of a given number, as if he had joined before the library was opened.
  package func admit(_ member: Member, pin: String) -> LibraryCard {
    lastMember = max(lastMember, member.id.number)
    let card = LibraryCard(number: "L-\(member.id.number)", pin: pin)
    members[card.number] = (pin, member)
    return card
  }

  package func signIn(with card: LibraryCard) async throws -> Credential {
    try await carryOut(.signIn, for: nil) {
      guard let known = members[card.number], known.pin == card.pin else {
        throw LibraryError.wrongCard
      }
      return issue(for: known.member)
    }
  }

  package func revoke(_ credential: Credential) async throws {
    try await carryOut(.revoke, for: credential.member.id) { _ = valid.remove(credential) }
  }

  package nonisolated func desk(for credential: Credential) -> any LendingLibrary {
    EmbeddedDesk(library: self, credential: credential)
  }

  /// Makes a credential that is valid until it is revoked.
  func issue(for member: Member) -> Credential {
    let credential = Credential(member: member, token: tokens.next())
    valid.insert(credential)
    return credential
  }

  /// The day on which a loan made today ends.
  var due: CalendarDate { today.adding(days: EmbeddedLibrary.loanDays) }

  /// Carries out a call that needs a credential.
  func carryOut<Answer: Sendable>(
    _ call: LibraryCall, with credential: Credential,
    _ work: @Sendable (isolated EmbeddedLibrary) throws -> Answer
  ) async throws -> Answer {
    try await carryOut(call, for: credential.member.id) {
      guard valid.contains(credential) else { throw LibraryError.signedOut }
      return try work(self)
    }
  }

  private func carryOut<Answer: Sendable>(
    _ call: LibraryCall, for member: Member.ID?, _ work: () throws -> Answer
  ) async throws -> Answer {
    let site = CallSite(call: call, member: member)
    let count = counts[site, default: 0]
    counts[site] = count + 1
    let forecast = weather.forecast(call, by: member?.number ?? 0, count: count)
    if forecast.latency > .zero { try await clock.sleep(for: forecast.latency) }
    if forecast.fault == .requestLost { throw LibraryError.unreachable }
    let answer = try work()
    if forecast.fault == .answerLost { throw LibraryError.noAnswer }
    return answer
  }
}

/// What a key stands for.
struct LoanRequest: Equatable {
  let member: Member.ID
  let books: [Book.ID]
  let branch: Branch?
}
