// Keeps the place of one window: reads it once, shows it if nobody was faster, and saves what the
// window shows after each change that has settled.
//
//   loading ──▶ waiting ──▶ saving
//      └───────────────────────▲

import Millrace
import Observation

/// The place of one window, as the desk keeps it.
@MainActor
final class PlaceKeeper<R: Route> {
  enum Phase {
    case loading
    /// It was read, and is to be shown.
    case waiting(SavedPlace<R>)
    /// It was shown or dropped: from now on what the window shows is saved.
    case saving
  }

  weak var window: FlowWindow?
  let number: Int
  /// True once a link was routed in this window: it was faster than the place.
  var hasRouted = false
  /// Nil for a place that is shown once and not kept.
  let store: (any PlaceStore)?
  let report: (@MainActor (PlaceReport) -> Void)?
  var phase = Phase.loading
  /// While the places are checked: for which session.
  var checking: LinkDesk<R>.Checking?
  var hasAskedForUnlock = false
  /// True from the time that a place of a locked app has locked it again.
  var hasLockedAgain = false
  /// True while a save waits for the host.
  var isSettling = false
  /// The session at the latest change.
  var session: Session?
  /// Whether it was not known yet who is signed in: a sign-out then ends no session.
  let beganUndetermined: Bool
  /// Whose place was cleared, by a sign-out, before the store answered.
  var cleared: Set<Account> = []
  /// What the store was asked to keep last.
  var saved: [UInt8]?
  /// What the store is to be asked next, or was asked last and has failed at.
  var request: PlaceRequest?
  /// True while the store has not answered.
  var isAsking = false

  init(
    _ window: FlowWindow, number: Int, store: (any PlaceStore)?,
    session: Session?, beganUndetermined: Bool,
    report: (@MainActor (PlaceReport) -> Void)?
  ) {
    self.window = window
    self.number = number
    self.store = store
    self.session = session
    self.beganUndetermined = beganUndetermined
    self.report = report
  }

  var isWaiting: Bool { if case .waiting = phase { true } else { false } }
  var isSaving: Bool { if case .saving = phase { true } else { false } }
}

extension LinkDesk {
  func keepPlace(
    of window: FlowWindow, in store: any PlaceStore,
    report: (@MainActor (PlaceReport) -> Void)?
  ) {
    guard scope.isCurrent else { return }
    let keeper = add(window, store, report)
    follow(keeper)
    scope.perform("load place \(keeper.number)") {
      try await store.load()
    } then: { [self] result in
      switch result {
      case .success(let bytes?): loaded(bytes, keeper)
      case .success(nil): startSaving(keeper)
      case .failure(let error):
        keeper.report?(.storeFailed("\(error)"))
        startSaving(keeper)
      }
    }
  }

  func restore(
    _ place: SavedPlace<R>, in window: FlowWindow, report: (@MainActor (PlaceReport) -> Void)?
  ) {
    guard scope.isCurrent else { return }
    add(window, nil, report).phase = .waiting(place)
    look()
  }

  @discardableResult
  private func add(
    _ window: FlowWindow, _ store: (any PlaceStore)?, _ report: (@MainActor (PlaceReport) -> Void)?
  ) -> PlaceKeeper<R> {
    keepers.removeAll { $0.window == nil || ($0.store == nil && $0.isSaving) }
    keepersMade += 1
    let keeper = PlaceKeeper<R>(
      window, number: keepersMade, store: store, session: runtime?.session,
      beganUndetermined: runtime?.sessionState == .undetermined, report: report)
    keepers.append(keeper)
    return keeper
  }

  private func loaded(_ bytes: [UInt8], _ keeper: PlaceKeeper<R>) {
    do {
      let (place, reports) = try SavedPlace<R>.read(bytes)
      followSession(keeper)
      guard keeper.cleared.isEmpty else {
        // What came is not kept any more.
        keeper.phase = .waiting(place)
        if keeper.cleared.contains(where: { $0 == place.account }) { drop(keeper, .signedOut) }
        return look()
      }
      keeper.saved = bytes
      // What could be read is written anew; what could not is gone from then on.
      for report in reports { keeper.report?(report) }
      if !reports.isEmpty { write(place, keeper) }
      keeper.phase = .waiting(place)
      look()
    } catch {
      keeper.report?(.unreadable(error))
      clear(keeper)
      startSaving(keeper)
    }
  }

  // MARK: - Saving

  /// Hears of each change of the window and of the session.
  private func follow(_ keeper: PlaceKeeper<R>) {
    withObservationTracking {
      _ = runtime?.sessionState
      _ = keeper.window?.navigation
    } onChange: { [weak self, weak keeper] in
      // The change is about to be made: it is looked at in the next job.
      Task { @MainActor in
        guard let self, let keeper, self.scope.isCurrent, keeper.window != nil else { return }
        self.follow(keeper)
        self.changed(keeper)
      }
    }
  }

  private func changed(_ keeper: PlaceKeeper<R>) {
    guard runtime != nil else { return }
    followSession(keeper)
    if keeper.isSaving { saveSoon(keeper) }
  }

  /// Clears the place of an account that was signed out on purpose. Asked before a place is shown, too:
  /// the news of a change comes in a job of its own.
  func followSession(_ keeper: PlaceKeeper<R>) {
    let (last, session) = (keeper.session, runtime?.session)
    keeper.session = session
    guard let last, last != session, runtime?.lastSignOut != .expired else { return }
    clear(keeper)
    switch keeper.phase {
    case .loading: keeper.cleared.insert(last.account)
    case .waiting(let place) where place.account == last.account: drop(keeper, .signedOut)
    case .waiting, .saving: break
    }
  }

  /// Whether the app is locked is saved with each place.
  func lockChanged() {
    for keeper in keepers where keeper.isSaving && keeper.store != nil { saveSoon(keeper) }
  }

  func startSaving(_ keeper: PlaceKeeper<R>) {
    keeper.phase = .saving
    if keeper.store != nil { saveSoon(keeper) }
  }

  private func saveSoon(_ keeper: PlaceKeeper<R>) {
    scope.perform("save place \(keeper.number)", .debounce(options.saveDelay)) {
    } then: { [self] _ in
      save(keeper)
    }
  }

  func savePlaces() {
    for keeper in keepers where keeper.isSaving { save(keeper) }
  }

  private func save(_ keeper: PlaceKeeper<R>) {
    guard keeper.store != nil, let window = keeper.window, let runtime else { return }
    guard window.transition == nil else {
      guard !keeper.isSettling else { return }
      keeper.isSettling = true
      scope.task("settling of place \(keeper.number)") { [self] in
        await window.settled()
        keeper.isSettling = false
        saveSoon(keeper)
      }
      return
    }
    if var place = SavedPlace<R>(window, account: runtime.session?.account) {
      place.isLocked = lock?.isLocked ?? false
      write(place, keeper)
    }
    // What the store has failed at is tried again, also where there is no other place to be kept.
    askStore(keeper)
  }
}
