// The root of a session: three tabs, and what one of them has to tell another.

import Millrace
import Observation

/// The signed-in app of one session.
@MainActor @Observable
package final class SignedInFlow: Flow {
  package enum Tab: Sendable, CaseIterable { case catalogue, readingList, account }
  /// What has happened, as the account tab lists it.
  package enum Activity: Sendable, Equatable { case lent([Book.ID]), shelvesChanged, loans(Int) }

  @ObservationIgnored package let scope: FlowScope<Never>
  @ObservationIgnored private let service: any LibraryService
  @ObservationIgnored private let credential: Credential
  @ObservationIgnored private let library: any LendingLibrary
  @ObservationIgnored private let keys: RequestKeys
  @ObservationIgnored private let lock: AppLock
  @ObservationIgnored private let catalogueTab = Slot<CatalogueFlow>(.keep)
  @ObservationIgnored private let readingListTab = Slot<ReadingListFlow>(.keep)
  @ObservationIgnored private let accountTab = Slot<AccountFlow>(.keep)
  @ObservationIgnored package let lockScreen = Slot<LockFlow>(.keep)

  package var tab = Tab.catalogue
  package private(set) var activity: [Activity] = []

  package init(
    scope: FlowScope<Never>, service: any LibraryService, credential: Credential,
    keys: RequestKeys, lock: AppLock
  ) {
    self.scope = scope
    self.service = service
    self.credential = credential
    self.keys = keys
    self.lock = lock
    library = service.desk(for: credential)
  }

  // The tabs are alive as long as this flow is.
  package var catalogue: CatalogueFlow? { catalogueTab.child?.flow }
  package var readingList: ReadingListFlow? { readingListTab.child?.flow }
  package var account: AccountFlow? { accountTab.child?.flow }

  package func start() {
    scope.start(in: catalogueTab, as: .tab) { [library, keys] in
      CatalogueFlow(scope: $0, library: library, keys: keys)
    } onOutput: { [self] output in
      hear(output)
    }
    scope.start(in: readingListTab, as: .tab) { [library] in
      ReadingListFlow(scope: $0, library: library)
    }
    scope.start(in: accountTab, as: .tab) { [library] in
      AccountFlow(scope: $0, library: library)
    } onOutput: { [self] output in
      hear(output)
    }
    lock.add(self)
  }

  /// Puts the lock's screen over this window, if it is not there already.
  func showLock() -> Child<LockFlow>? {
    guard scope.isCurrent else { return nil }
    return scope.start(in: lockScreen, as: .cover) { [lock] in
      LockFlow(scope: $0, lock: lock)
    } onOutput: { [self] output in
      if output == .signOut { signOut() }
    }
  }

  private func hear(_ output: CatalogueFlow.Output) {
    switch output {
    case .lent(let receipts):
      activity.append(.lent(receipts.map(\.book)))
      account?.add(receipts)
    case .shelvesChanged:
      activity.append(.shelvesChanged)
    }
  }

  private func hear(_ output: AccountFlow.Output) {
    switch output {
    case .loanCount(let count): activity.append(.loans(count))
    case .signOut: signOut()
    }
  }

  /// Closes the session at once; the library is told afterwards.
  package func signOut() {
    scope.signOut(revoke: { [service, credential] in try await service.revoke(credential) })
  }
}
