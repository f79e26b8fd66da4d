// A stack and its tabs. The path is read from the host and written back by id.

#if canImport(SwiftUI)
  import Millrace
  import SwiftUI

  struct StackView<Content: View>: View {
    let host: SwiftUIHost
    let first: FlowID
    let content: @MainActor (any Flow) -> Content

    var body: some View {
      NavigationStack(path: path) {
        ScreenView(host: host, id: first, content: content)
          .navigationDestination(for: FlowID.self) { id in
            ScreenView(host: host, id: id, content: content)
          }
      }
    }

    private var path: Binding<[FlowID]> {
      let host = host
      let first = first
      return Binding {
        host.stack(first)?.screens.dropFirst().map(\.id) ?? []
      } set: { path in
        host.pathWritten(path, of: first)
      }
    }
  }

  /// A flow's own view, or its tabs.
  struct ScreenView<Content: View>: View {
    let host: SwiftUIHost
    let id: FlowID
    let content: @MainActor (any Flow) -> Content

    var body: some View {
      if let screen = host.screens.screen(id), !screen.tabs.isEmpty {
        TabView(selection: selection) {
          ForEach(screen.tabs.compactMap { $0.screens.first.map { Item(id: $0.id) } }) { tab in
            StackView(host: host, first: tab.id, content: content)
              .tabItem { label(tab.id) }
              .tag(tab.id)
          }
        }
      } else {
        host.view(of: id, content)
      }
    }

    private var selection: Binding<FlowID> {
      let host = host
      let id = id
      return Binding {
        host.screens.screen(id)?.selectedTab ?? id
      } set: { tab in
        host.userSelected(tab)
      }
    }

    @ViewBuilder
    private func label(_ id: FlowID) -> some View {
      if let flow = host.connection?.flow(id) as? any TabLabelling {
        Label(flow.tabTitle, systemImage: flow.tabImage)
      } else {
        Text(verbatim: "\(id)")
      }
    }
  }

  /// What a flow that is shown as a tab says on the tab bar.
  @MainActor
  public protocol TabLabelling: Flow {
    /// The title.
    var tabTitle: String { get }
    /// The name of a system symbol.
    var tabImage: String { get }
  }
#endif
