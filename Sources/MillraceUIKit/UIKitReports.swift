// What the user does by hand: the interactive pop, a sheet that is pulled down, an attempt that a
// guard has stopped, a tapped tab. UIKit tells the delegates, and the host tells the window.

#if canImport(UIKit)
  import Millrace
  import UIKit

  extension UIKitHost: UINavigationControllerDelegate {
    /// A pop that the user's finger drives begins here, and may be let go.
    public func navigationController(
      _ navigationController: UINavigationController, willShow viewController: UIViewController,
      animated: Bool
    ) {
      guard let coordinator = navigationController.transitionCoordinator,
        coordinator.initiallyInteractive, let target = flow(shownBy: viewController),
        let from = coordinator.viewController(forKey: .from), let source = flow(shownBy: from)
      else { return }
      connection?.report(.gestureBegan(source, to: target))
      coordinator.notifyWhenInteractionChanges { [weak self] context in
        if context.isCancelled { self?.connection?.report(.gestureCancelled(source, to: target)) }
      }
    }

    /// What is no longer in the stack and was not asked to go was taken away by the user.
    public func navigationController(
      _ navigationController: UINavigationController, didShow viewController: UIViewController,
      animated: Bool
    ) {
      let left = navigationController.viewControllers.compactMap { flow(shownBy: $0) }
      guard let top = left.last, let gone = screens.above(top) else { return }
      userRemoved(gone)
      connection?.report(.gestureCompleted(gone, to: top))
    }
  }

  extension UIKitHost: UIAdaptivePresentationControllerDelegate {
    /// A guarded flow is not let go by the finger; its guard is not asked here.
    public func presentationControllerShouldDismiss(
      _ presentationController: UIPresentationController
    ) -> Bool {
      guard let id = firstFlow(of: presentationController.presentedViewController) else {
        return true
      }
      return !(connection?.isGuarded(id) ?? false)
    }

    /// The user has begun to pull it down.
    public func presentationControllerWillDismiss(
      _ presentationController: UIPresentationController
    ) {
      let controller = presentationController.presentedViewController
      guard let id = firstFlow(of: controller) else { return }
      connection?.report(.gestureBegan(id))
      controller.transitionCoordinator?.notifyWhenInteractionChanges { [weak self] context in
        if context.isCancelled { self?.connection?.report(.gestureCancelled(id)) }
      }
    }

    /// It is gone, by the user's hand.
    public func presentationControllerDidDismiss(
      _ presentationController: UIPresentationController
    ) {
      guard let id = firstFlow(of: presentationController.presentedViewController) else { return }
      userRemoved(id)
      connection?.report(.didDismiss(id))
    }

    /// A real attempt, which `presentationControllerShouldDismiss` has stopped.
    public func presentationControllerDidAttemptToDismiss(
      _ presentationController: UIPresentationController
    ) {
      guard let id = firstFlow(of: presentationController.presentedViewController) else { return }
      connection?.report(.attemptBlocked(id))
    }
  }

  extension UIKitHost: UITabBarControllerDelegate {
    /// The user has gone to a tab.
    public func tabBarController(
      _ tabBarController: UITabBarController, didSelect viewController: UIViewController
    ) {
      guard let id = firstFlow(of: viewController) else { return }
      userSelected(id)
      connection?.report(.didSelect(id))
    }
  }

  extension Navigation {
    /// The flow right above this one in its stack.
    func above(_ id: FlowID) -> FlowID? {
      func find(_ stack: Stack) -> FlowID? {
        for (index, screen) in stack.screens.enumerated() {
          if screen.id == id { return stack.screens.dropFirst(index + 1).first?.id }
          for tab in screen.tabs { if let found = find(tab) { return found } }
        }
        return nil
      }
      for layer in layers { if let found = find(layer.stack) { return found } }
      return nil
    }
  }
#endif
