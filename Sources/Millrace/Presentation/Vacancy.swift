// One flow in the place of another: in a slot, as a window's root, at a change of session. The host
// is asked by one command where one can do it, and otherwise in the order in which things happened.

/// The place of a screen that has ended, until the one that takes it is put there.
@MainActor
final class Vacancy {
  /// The first of the screens that left, if the host has it; nil before the end and where there is
  /// nothing on the host.
  var lead: Screen?
  /// Of a tab: where it was among its neighbours, and whether it was selected.
  var container: Screen?
  var index = 0
  var wasSelected = false
  /// Of a layer: the one that was under it.
  var under: ScreenStack?
  let presentation: Presentation

  init(of screen: Screen) {
    presentation = screen.hostPresentation
    screen.vacancy = self
  }
}

extension WindowDisplay {
  /// What takes the place of the screen's flow, which is about to end.
  func vacate(_ screen: Screen) -> Vacancy {
    fillVacancy()
    return Vacancy(of: screen)
  }

  /// The place was not taken: its screen is taken away as any other.
  func close(_ vacancy: Vacancy) {
    if openVacancy === vacancy {
      fillVacancy()
      pump()
    } else if let container = vacancy.container, container.selectedTab == nil {
      selectNeighbour(of: vacancy.index, in: container)
      if let selected = container.selectedTab { request(.select(selected)) }
      pump()
    }
  }

  /// What comes between the end of a screen and its replacement goes to the host in that order.
  func fillVacancy() {
    guard let vacancy = openVacancy else { return }
    openVacancy = nil
    if let lead = vacancy.lead { request(.takeAway(lead)) }
    vacancy.lead = nil
    if let container = vacancy.container, vacancy.wasSelected {
      selectNeighbour(of: vacancy.index, in: container)
      if let selected = container.selectedTab { request(.select(selected)) }
    }
  }

  /// Returns the screen that the host is to replace by the new one, if one command can do it.
  func claim(_ vacancy: Vacancy, for screen: Screen) -> Screen? {
    guard let lead = vacancy.lead else { return nil }
    if vacancy === openVacancy { openVacancy = nil }
    vacancy.lead = nil
    guard lead.state == .leaving else { return nil }
    let over = screen.node?.parent?.nearestScreen
    let isSamePlace =
      vacancy.presentation == screen.hostPresentation
      && (vacancy.presentation != .push || lead.uncovers == over?.stackForPushes?.top.id)
      && (vacancy.presentation != .tab || vacancy.container === over)
    if isSamePlace { return lead }
    request(.takeAway(lead))
    if let container = vacancy.container, vacancy.wasSelected {
      selectNeighbour(of: vacancy.index, in: container)
      if let selected = container.selectedTab { request(.select(selected)) }
    }
    return nil
  }

  /// The session has ended: the root for the next state takes the place of the present one.
  func expectRoot() { if base != nil { expectsRoot = true } }

  /// The root for the next state comes now.
  func takeFormerRoot() -> Vacancy? {
    expectsRoot = false
    defer { formerRoot = nil }
    openVacancy = openVacancy ?? formerRoot
    return formerRoot
  }

  /// No other root will come.
  func expectNoRoot() {
    if let vacancy = takeFormerRoot() { close(vacancy) }
  }

  /// What was to be replaced was replaced by a gesture.
  func forget(_ vacancy: Vacancy) {
    if openVacancy === vacancy { openVacancy = nil }
    vacancy.lead = nil
  }
}
