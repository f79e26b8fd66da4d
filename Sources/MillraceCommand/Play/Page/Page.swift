// What a screen of the app says and offers, whatever it is drawn with.

/// One thing on a page, as it is drawn.
package struct PageText: Equatable, Sendable {
  /// What it is.
  package enum Role: Equatable, Sendable {
    /// Something to read.
    case text
    /// Something that went wrong.
    case notice
    /// One of a list.
    case row
    /// Something to do.
    case button
    /// Something to fill in, with what is in it.
    case field(String, isSecret: Bool)
  }

  package let role: Role
  /// What it says, and what an event names it by.
  package let name: String
  /// More about it.
  package let detail: String
  /// True if the cursor can stand on it.
  package let isActive: Bool

  package init(_ role: Role, _ name: String, detail: String = "", isActive: Bool = false) {
    self.role = role
    self.name = name
    self.detail = detail
    self.isActive = isActive
  }
}

/// One thing on a page, with what it does.
struct PageItem {
  let text: PageText
  /// Chooses it; nil if it cannot be chosen now.
  var choose: (@MainActor () -> Void)?
  /// Puts a text into it; nil if it is no field.
  var type: (@MainActor (String) -> Void)?
}

/// A screen's content.
struct Page {
  private(set) var items: [PageItem] = []

  /// Something to read.
  mutating func text(_ text: String) { add(.text, text) }

  /// Why something was not done, if it was not.
  mutating func notice(_ text: String?) { if let text { add(.notice, text) } }

  /// One of a list.
  mutating func row(_ name: String, _ detail: String = "", choose: (@MainActor () -> Void)? = nil) {
    add(.row, name, detail, choose)
  }

  /// Something to do, now or not.
  mutating func button(
    _ name: String, if isPossible: Bool = true, choose: @escaping @MainActor () -> Void
  ) {
    add(.button, name, "", isPossible ? choose : nil)
  }

  /// Something to fill in.
  mutating func field(
    _ name: String, _ value: String, isSecret: Bool = false,
    type: @escaping @MainActor (String) -> Void
  ) {
    let text = PageText(.field(value, isSecret: isSecret), name, isActive: true)
    items.append(PageItem(text: text, type: type))
  }

  private mutating func add(
    _ role: PageText.Role, _ name: String, _ detail: String = "",
    _ choose: (@MainActor () -> Void)? = nil
  ) {
    let text = PageText(role, name, detail: detail, isActive: choose != nil)
    items.append(PageItem(text: text, choose: choose))
  }
}

/// The view for one flow: made once, as long as the flow lives (R28), and asked whenever the screen
/// is drawn.
@MainActor
final class TerminalView {
  /// What stands over it.
  let title: String
  private let fill: @MainActor (inout Page) -> Void

  /// - Parameters:
  ///   - appear: what the screen needs when it is there, as a view's task is.
  ///   - fill: says what is on it now.
  init(
    _ title: String, appear: @MainActor () -> Void = {},
    _ fill: @escaping @MainActor (inout Page) -> Void
  ) {
    self.title = title
    self.fill = fill
    appear()
  }

  var page: Page {
    var page = Page()
    fill(&page)
    return page
  }
}
