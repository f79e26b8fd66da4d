// Draws what a host shows: stacks, sheets, covers, alerts, dialogs and tabs. It decides nothing.

#if canImport(SwiftUI)
  import Millrace
  import SwiftUI

  /// Draws a window. `content` makes the view of a flow; it is called once for each flow.
  ///
  /// ```swift
  /// FlowWindowView(host: host) { flow in
  ///   switch flow {
  ///   case let picker as Picker: PickerView(model: picker)
  ///   default: EmptyView()
  ///   }
  /// } onLink: { url in router.open(url) }
  /// ```
  public struct FlowWindowView<Content: View>: View {
    private let host: SwiftUIHost
    private let content: @MainActor (any Flow) -> Content
    private let onLink: (@MainActor (URL) -> Void)?

    /// Makes the view. `onLink` gets the links that the system opens in this window.
    public init(
      host: SwiftUIHost, @ViewBuilder content: @escaping @MainActor (any Flow) -> Content,
      onLink: (@MainActor (URL) -> Void)? = nil
    ) {
      self.host = host
      self.content = content
      self.onLink = onLink
    }

    /// The window's content.
    public var body: some View {
      Group {
        if let first = host.screens.root?.screens.first?.id {
          LayerView(host: host, first: first, content: content)
        }
      }
      .onOpenURL { url in onLink?(url) }
    }
  }

  /// One layer, and what is presented over it.
  struct LayerView<Content: View>: View {
    let host: SwiftUIHost
    let first: FlowID
    let content: @MainActor (any Flow) -> Content

    var body: some View {
      let stack = StackView(host: host, first: first, content: content)
      questions(
        over: stack.sheet(item: item(.sheet)) { item in
          LayerView(host: host, first: item.id, content: content)
            .interactiveDismissDisabled(host.connection?.isGuarded(item.id) ?? false)
        })
    }

    @ViewBuilder
    private func questions<Under: View>(over under: Under) -> some View {
      let alert = question(.alert)
      let dialog = question(.confirmation)
      covers(over: under)
        .alert(
          Text(verbatim: alert?.content.title ?? ""), isPresented: shown(.alert), presenting: alert
        ) {
          buttons($0)
        } message: {
          Text(verbatim: $0.content.message)
        }
        .confirmationDialog(
          Text(verbatim: dialog?.content.title ?? ""), isPresented: shown(.confirmation),
          titleVisibility: .visible, presenting: dialog
        ) {
          buttons($0)
        } message: {
          Text(verbatim: $0.content.message)
        }
    }

    @ViewBuilder
    private func covers<Under: View>(over under: Under) -> some View {
      #if canImport(UIKit)
        under.fullScreenCover(item: item(.cover)) { item in
          LayerView(host: host, first: item.id, content: content)
        }
      #else
        // Not on macOS: a sheet that cannot be dragged away.
        under.sheet(item: item(.cover)) { item in
          LayerView(host: host, first: item.id, content: content).interactiveDismissDisabled()
        }
      #endif
    }

    private func buttons(_ question: Question) -> some View {
      ForEach(question.choices) { choice in
        Button(role: choice.role) {
          question.choose(choice.id)
        } label: {
          Text(verbatim: choice.title)
        }
      }
    }

    // MARK: - Bindings

    private func item(_ presentation: Presentation) -> Binding<Item?> {
      let host = host
      let first = first
      return Binding {
        host.layer(over: first, as: presentation)?.stack.screens.first.map { Item(id: $0.id) }
      } set: { item in
        guard item == nil, let layer = host.layer(over: first, as: presentation),
          let id = layer.stack.screens.first?.id
        else { return }
        host.userDismissed(id)
      }
    }

    private func shown(_ presentation: Presentation) -> Binding<Bool> {
      let item = item(presentation)
      return Binding {
        item.wrappedValue != nil
      } set: { isShown in
        if !isShown { item.wrappedValue = nil }
      }
    }

    private func question(_ presentation: Presentation) -> Question? {
      guard let id = item(presentation).wrappedValue?.id,
        let flow = host.connection?.flow(id) as? any AlertPresenting
      else { return nil }
      return Question(flow)
    }
  }

  /// What a sheet or cover is shown for.
  struct Item: Identifiable, Equatable {
    let id: FlowID
  }

  /// An alert on display.
  @MainActor
  struct Question {
    struct Choice: Identifiable {
      let id: Int
      let title: String
      let role: ButtonRole?
    }

    let content: AlertContent
    let choose: @MainActor (Int) -> Void

    init(_ flow: any AlertPresenting) {
      content = flow.content
      choose = { flow.choose($0) }
    }

    var choices: [Choice] {
      content.buttons.enumerated().map { index, button in
        Choice(id: index, title: button.title, role: role(button.role))
      }
    }

    private func role(_ role: AlertContent.Role) -> ButtonRole? {
      switch role {
      case .plain: nil
      case .cancel: .cancel
      case .destructive: .destructive
      }
    }
  }
#endif
