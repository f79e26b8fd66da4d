// Who can be seen. Work of lifetime `.appearance` is cancelled when its flow's screen is covered
// and started again when it is uncovered. A screen is covered if it is not on top of its stack, if
// its tab is not selected, or under a sheet or cover; a question leaves in sight what is under it.

extension WindowDisplay {
  /// The screens that can be seen. Costs as much as there are questions and tabs in tabs.
  func screensInSight() -> [Screen] {
    var found: [Screen] = []
    var layer = topLayer
    while let current = layer {
      var next: Screen? = current.top
      while let screen = next {
        found.append(screen)
        next = screen.selectedTab?.top
      }
      layer = current.isQuestion ? current.under : nil
    }
    return found
  }

  func isVisible(_ screen: Screen) -> Bool {
    guard screen.isLive, !screen.isCoveredByHost else { return false }
    if screen.isProvisional { return true }
    return screensInSight().contains { $0 === screen }
  }

  /// Applies what has changed since the last time.
  func followVisibility() {
    let now = screensInSight()
    let before = visible
    visible = now
    for screen in before where !now.contains(where: { $0 === screen }) { follow(screen) }
    for screen in now { follow(screen) }
  }

  func follow(_ screen: Screen) {
    guard screen.isLive else { return }
    let isCovered = !isVisible(screen)
    guard screen.isCovered != isCovered else { return }
    screen.isCovered = isCovered
    for node in screen.appearing.values.sorted(by: { $0.number < $1.number }) where node.isRunning {
      if isCovered { node.cover() } else { node.uncover() }
    }
  }
}

extension AnyFlowNode {
  /// True if the screen that the flow is on cannot be seen.
  final var isCovered: Bool { nearestScreen.map { !$0.display.isVisible($0) } ?? false }

  /// Lists the flow with its screen, as one that has work of lifetime `.appearance`.
  final func followAppearance() {
    guard let screen = nearestScreen else { return }
    screen.appearing[number] = self
    own().appearsOn = screen
  }

  fileprivate func cover() {
    for run in runs {
      guard let restart = run.restart, !run.isSettled else { continue }
      keep(.init(key: run.name, begin: restart))
      run.cancel(.covered)
    }
  }

  fileprivate func uncover() { beginAgain() }
}
