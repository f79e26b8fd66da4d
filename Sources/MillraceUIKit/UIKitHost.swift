// A host for UIKit: navigation controllers for stacks, tab controllers for screens with tabs,
// presentations for modals. It carries commands out and reports what UIKit says has happened.

#if canImport(UIKit)
  import Millrace
  import UIKit

  /// The host of one window. Make one for each, keep it as long as the window, and put `container`
  /// into it.
  @MainActor
  public final class UIKitHost: NSObject, Millrace.Host {
    /// The window's view controller: it contains the first stack.
    public let container = UIViewController()
    /// What is on the screen, as far as the host was told.
    public private(set) var screens = Navigation()
    /// Whether transitions are animated.
    public var isAnimated = true

    var connection: HostConnection?
    private let makeController: @MainActor (any Flow) -> UIViewController
    /// Key: a flow. Value: what shows it. A screen with tabs is shown by a tab controller.
    private var controllers: [FlowID: UIViewController] = [:]
    /// Key: the first flow of a stack. Value: its navigation controller, or an alert.
    private var stacks: [FlowID: UIViewController] = [:]

    /// Makes a host. `makeController` is called once for each flow.
    public init(_ makeController: @escaping @MainActor (any Flow) -> UIViewController) {
      self.makeController = makeController
    }

    /// Keeps the connection.
    public func connect(_ connection: HostConnection) { self.connection = connection }

    /// Carries the command out and reports when UIKit is done.
    public func perform(_ command: HostCommand) {
      let before = screens
      screens.apply(command)
      let done: @MainActor () -> Void = { [weak self] in self?.done(command) }
      switch command {
      case .show(let id, let presentation, let over):
        guard !before.contains(id), screens.contains(id) else { return done() }
        show(id, presentation, over, done)
      case .dismiss, .pop: removeLost(since: before, done)
      case .replace(let old, let new, let presentation, let over, _):
        guard screens.contains(new) else { return done() }
        var rest = before
        rest.remove(old)
        if rest.contains(new) {
          removeLost(since: before, done)
        } else if before.contains(new) {
          // It stood above the old one: it goes with it, and comes again in its place.
          let wanted = screens
          screens = rest
          removeLost(since: before) { [weak self] in
            self?.screens = wanted
            self?.show(new, presentation, over, done)
          }
        } else if before.contains(old) {
          replace(old, new, before, done)
        } else {
          show(new, presentation, over, done)
        }
      case .select(let id):
        if let tab = stacks[id] { tab.tabBarController?.selectedViewController = tab }
        done()
      }
    }

    private func done(_ command: HostCommand) {
      let shown = Set(screens.flows)
      controllers = controllers.filter { shown.contains($0.key) }
      stacks = stacks.filter { shown.contains($0.key) }
      connection?.report(command.report)
    }

    // MARK: - Showing

    private func show(
      _ id: FlowID, _ presentation: Presentation, _ over: FlowID?,
      _ done: @escaping @MainActor () -> Void
    ) {
      switch presentation {
      case .inline: done()
      case .root:
        embed(makeStack(id))
        done()
      case .push:
        guard let over, let navigation = navigation(of: over) else { return done() }
        navigation.pushViewController(controller(id), animated: isAnimated)
        afterTransition(of: navigation, done)
      case .tab:
        guard let over else { return done() }
        showTabs(of: over)
        done()
      case .alert, .confirmation: present(makeAlert(id, presentation), done)
      case .sheet, .cover:
        let stack = makeStack(id)
        stack.modalPresentationStyle = presentation == .cover ? .fullScreen : .pageSheet
        stack.presentationController?.delegate = self
        present(stack, done)
      }
    }

    private func present(
      _ controller: UIViewController, _ done: @escaping @MainActor () -> Void
    ) {
      highest.present(controller, animated: isAnimated) { done() }
    }

    /// The controller that nothing is presented over.
    private var highest: UIViewController {
      var controller: UIViewController = container
      while let presented = controller.presentedViewController { controller = presented }
      return controller
    }

    private func embed(_ stack: UIViewController) {
      for child in container.children {
        child.willMove(toParent: nil)
        child.view.removeFromSuperview()
        child.removeFromParent()
      }
      container.addChild(stack)
      stack.view.frame = container.view.bounds
      container.view.addSubview(stack.view)
      stack.didMove(toParent: container)
    }

    // MARK: - Taking away

    private func removeLost(
      since before: Navigation, _ done: @escaping @MainActor () -> Void
    ) {
      let lost = before.layers.dropFirst(screens.layers.count)
      if let first = lost.first?.stack.screens.first?.id, let lowest = stacks[first],
        let presenting = lowest.presentingViewController
      {
        presenting.dismiss(animated: isAnimated) { [weak self] in
          self?.matchStacks()
          done()
        }
      } else {
        matchStacks()
        if let navigation = navigations.first(where: { $0.transitionCoordinator != nil }) {
          afterTransition(of: navigation, done)
        } else {
          done()
        }
      }
    }

    /// Gives each navigation and tab controller what the value says.
    private func matchStacks() {
      if screens.layers.isEmpty {
        for child in container.children {
          child.view.removeFromSuperview()
          child.removeFromParent()
        }
      }
      func match(_ stack: Navigation.Stack) {
        guard let first = stack.screens.first?.id else { return }
        if let navigation = stacks[first] as? UINavigationController {
          let wanted = stack.screens.map { controller($0.id) }
          if navigation.viewControllers != wanted {
            navigation.setViewControllers(wanted, animated: isAnimated)
          }
        }
        for screen in stack.screens where !screen.tabs.isEmpty {
          showTabs(of: screen.id)
          for tab in screen.tabs { match(tab) }
        }
      }
      for layer in screens.layers { match(layer.stack) }
    }

    private func replace(
      _ old: FlowID, _ new: FlowID, _ before: Navigation, _ done: @escaping @MainActor () -> Void
    ) {
      guard let index = before.layers.firstIndex(where: { $0.stack.screens.first?.id == old })
      else {
        matchStacks()
        return done()
      }
      guard index > 0, let lowest = stacks[old], let presenting = lowest.presentingViewController
      else {
        highestPresented(of: container)?.dismiss(animated: false)
        embed(makeStack(new))
        return done()
      }
      let presentation = screens.layers[index].presentation
      presenting.dismiss(animated: false) { [weak self] in
        self?.show(new, presentation, nil, done)
      }
    }

    private func highestPresented(of controller: UIViewController) -> UIViewController? {
      controller.presentedViewController == nil ? nil : controller
    }

    // MARK: - Controllers

    private func controller(_ id: FlowID) -> UIViewController {
      if let made = controllers[id] { return made }
      let made = connection?.view(for: id) { makeController($0) } ?? UIViewController()
      controllers[id] = made
      return made
    }

    private func makeStack(_ id: FlowID) -> UIViewController {
      if let made = stacks[id] { return made }
      let navigation = UINavigationController(rootViewController: controller(id))
      navigation.delegate = self
      stacks[id] = navigation
      return navigation
    }

    private func showTabs(of id: FlowID) {
      guard let screen = screens.screen(id) else { return }
      let tabs = controllers[id] as? UITabBarController ?? makeTabs(for: id)
      let wanted = screen.tabs.compactMap { $0.screens.first.map { makeStack($0.id) } }
      if tabs.viewControllers != wanted { tabs.setViewControllers(wanted, animated: isAnimated) }
      if let selected = screen.selectedTab, let stack = stacks[selected] {
        tabs.selectedViewController = stack
      }
    }

    /// The first tab: the tab controller takes the place of the flow's own controller.
    private func makeTabs(for id: FlowID) -> UITabBarController {
      let tabs = UITabBarController()
      tabs.delegate = self
      let navigation = navigation(of: id)
      let old = controllers[id]
      controllers[id] = tabs
      if let navigation {
        navigation.viewControllers = navigation.viewControllers.map { $0 === old ? tabs : $0 }
      }
      return tabs
    }

    private var navigations: [UINavigationController] {
      stacks.values.compactMap { $0 as? UINavigationController }
    }

    private func navigation(of id: FlowID) -> UINavigationController? {
      guard let controller = controllers[id] else { return nil }
      return navigations.first { $0.viewControllers.contains(controller) }
    }

    func flow(shownBy controller: UIViewController) -> FlowID? {
      controllers.first { $0.value === controller }?.key
    }

    func firstFlow(of stack: UIViewController) -> FlowID? {
      stacks.first { $0.value === stack }?.key
    }

    /// The user, not a command, has changed what is shown.
    func userRemoved(_ id: FlowID) {
      guard screens.contains(id) else { return }
      screens.remove(id)
    }

    func userSelected(_ id: FlowID) { screens.apply(.select(id)) }

    private func afterTransition(
      of controller: UIViewController, _ done: @escaping @MainActor () -> Void
    ) {
      guard let coordinator = controller.transitionCoordinator else { return done() }
      coordinator.animate(alongsideTransition: nil) { _ in done() }
    }

    private func makeAlert(_ id: FlowID, _ presentation: Presentation) -> UIViewController {
      guard let flow = connection?.flow(id) as? any AlertPresenting else { return makeStack(id) }
      let content = flow.content
      let alert = UIAlertController(
        title: content.title, message: content.message,
        preferredStyle: presentation == .alert ? .alert : .actionSheet)
      for (index, button) in content.buttons.enumerated() {
        let action = UIAlertAction(title: button.title, style: button.role.style) { [weak self] _ in
          // UIKit takes an alert away by itself when a button is tapped.
          self?.userRemoved(id)
          flow.choose(index)
        }
        alert.addAction(action)
      }
      stacks[id] = alert
      return alert
    }
  }

  extension AlertContent.Role {
    fileprivate var style: UIAlertAction.Style {
      switch self {
      case .plain: .default
      case .cancel: .cancel
      case .destructive: .destructive
      }
    }
  }
#endif
