// A host for SwiftUI: it keeps what is to be drawn as a value, and the views write back by id what
// the user did. A late write about a flow that is gone finds nothing and does nothing.

#if canImport(SwiftUI)
  import Millrace
  import Observation
  import SwiftUI

  /// The host of one window. Make one for each, keep it as long as the window, and draw it with
  /// `FlowWindowView`.
  @MainActor @Observable
  public final class SwiftUIHost: Millrace.Host {
    /// What is drawn.
    public private(set) var screens = Navigation()
    @ObservationIgnored private(set) var connection: HostConnection?

    /// Makes a host that draws nothing yet.
    public init() {}

    /// Keeps the connection.
    public func connect(_ connection: HostConnection) { self.connection = connection }

    /// Draws what the command asks for, and reports when the animation is over. SwiftUI has no
    /// replacement that the user's finger drives: an interactive one is carried out at once.
    public func perform(_ command: HostCommand) {
      withAnimation(.default, completionCriteria: .removed) {
        screens.apply(command)
      } completion: { [connection] in
        connection?.report(command.report)
      }
    }

    // MARK: - What the views write back

    /// A stack's path was written: what is no longer in it was taken away by the user. Flows that
    /// are not in the stack any more, or never were, change nothing.
    func pathWritten(_ path: [FlowID], of first: FlowID) {
      let shown = stack(first)?.screens.dropFirst().map(\.id) ?? []
      guard let gone = shown.first(where: { !path.contains($0) }) else { return }
      userDismissed(gone)
    }

    /// The user has taken a flow away.
    func userDismissed(_ id: FlowID) {
      guard screens.contains(id) else { return }
      screens.remove(id)
      connection?.report(.didDismiss(id))
    }

    /// The user has gone to a tab.
    func userSelected(_ tab: FlowID) {
      guard screens.contains(tab) else { return }
      screens.apply(.select(tab))
      connection?.report(.didSelect(tab))
    }

    // MARK: - What the views read

    /// The stack that begins with this flow.
    func stack(_ first: FlowID) -> Navigation.Stack? {
      func find(_ stack: Navigation.Stack) -> Navigation.Stack? {
        if stack.screens.first?.id == first { return stack }
        for screen in stack.screens {
          for tab in screen.tabs { if let found = find(tab) { return found } }
        }
        return nil
      }
      for layer in screens.layers { if let found = find(layer.stack) { return found } }
      return nil
    }

    /// The layer over the one that begins with this flow, if it is shown in this way.
    func layer(over first: FlowID, as presentation: Presentation) -> Navigation.Layer? {
      guard let index = screens.layers.firstIndex(where: { $0.stack.screens.first?.id == first }),
        screens.layers.indices.contains(index + 1)
      else { return nil }
      let layer = screens.layers[index + 1]
      return layer.presentation == presentation ? layer : nil
    }

    /// The view of a flow, built once.
    func view<Content: View>(
      of id: FlowID, _ content: (any Flow) -> Content
    ) -> AnyView {
      let box = connection?.view(for: id) { ViewBox(AnyView(content($0))) }
      return box?.view ?? AnyView(EmptyView())
    }

    private final class ViewBox {
      let view: AnyView
      init(_ view: AnyView) { self.view = view }
    }
  }
#endif
