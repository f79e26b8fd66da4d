// Where the user was, as it is saved. Keeps R35: what cannot be read cuts the place, and nothing read
// from outside can trap. What is not to be saved, or cannot be, cuts it too, when it is written.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Millrace
import MillraceFiles

/// What a window showed: its stack with tabs, the modals over it, and whose it was. A flow that is
/// restored from it is a new one, with a new identity.
public struct SavedPlace<R: Route>: Hashable, Sendable {
  /// A screen with its tabs.
  public struct Node: Hashable, Sendable {
    /// Its place.
    public var route: R
    /// A stack for each of its tabs, in order; none of them is empty.
    public var tabs: [[Node]]
    /// Which tab was selected; nil if none was, or if it could not be saved or read.
    public var selectedTab: Int?

    /// Makes a node.
    public init(_ route: R, tabs: [[Node]] = [], selectedTab: Int? = nil) {
      self.route = route
      self.tabs = tabs
      self.selectedTab = selectedTab
    }
  }

  /// Whose place it is; nil if nobody was signed in.
  public var account: Account?
  /// Whether the app was locked: then it is locked again before the place is shown.
  public var isLocked: Bool
  /// The window's own stack, the root first. Never empty in a place that is restored.
  public var stack: [Node]
  /// The modals over it, the lowest first; none of them is empty.
  public var modals: [[Node]]

  /// Makes a place.
  public init(
    account: Account? = nil, isLocked: Bool = false, stack: [Node], modals: [[Node]] = []
  ) {
    self.account = account
    self.isLocked = isLocked
    self.stack = stack
    self.modals = modals
  }

  /// Reads off what a window shows: up to the first place that is transient, passing over flows that
  /// name none.
  ///
  /// - Returns: nil if its root names no place, or none that can be saved.
  @MainActor
  public init?(_ window: FlowWindow, account: Account?) {
    let tree = PlaceTree<R>(window)
    self.init(tree, account) { !$0.isTransient }
    // Trying each route by itself takes long: only where not all can be written together.
    guard (try? JSONEncoder().encode(routes)) == nil else { return }
    self.init(tree, account, isSavable: SavedPlace.isSavable)
  }

  /// Reads off places, up to the first that is not to be saved.
  @MainActor
  private init?(_ tree: PlaceTree<R>, _ account: Account?, isSavable: (R) -> Bool) {
    var hasCut = false
    func save(_ nodes: [PlaceTree<R>.Node]) -> [Node] {
      var saved: [Node] = []
      for node in nodes {
        guard let route = node.route else { continue }
        guard isSavable(route) else {
          hasCut = true
          break
        }
        let stacks = node.tabs.map { (save($0), $0.first?.id == node.selectedTab) }
          .filter { !$0.0.isEmpty }
        saved.append(
          Node(route, tabs: stacks.map(\.0), selectedTab: stacks.firstIndex { $0.1 }))
      }
      return saved
    }
    guard tree.root != nil, let base = tree.layers.first else { return nil }
    let stack = save(base)
    guard !stack.isEmpty else { return nil }
    var modals: [[Node]] = []
    for layer in tree.layers.dropFirst() {
      // What was over something that is not restored has nothing to stand on.
      guard !hasCut else { break }
      let nodes = save(layer)
      guard !nodes.isEmpty else { break }
      modals.append(nodes)
    }
    self.init(account: account, stack: stack, modals: modals)
  }

  /// All routes, each before those that stand on it.
  var routes: [R] {
    func routes(of nodes: [Node]) -> [R] {
      nodes.flatMap { [$0.route] + $0.tabs.flatMap(routes) }
    }
    return routes(of: stack) + modals.flatMap(routes)
  }
}

/// Why a place is not restored, or not all of it, and what else happens to it.
public enum PlaceReport: Sendable, Equatable {
  /// It is shown, as far as it could be read and shown.
  case restored
  /// It was cut here: the app does not know this route any more, or not yet.
  case unknownRoute(String)
  /// It was cut here: where it is not as it is written, and what is expected there.
  case cut(String)
  /// Something in it means nothing, and was passed over: where, and what.
  case mended(String)
  /// It was cut here: the place does not exist any more, is not permitted, or is not shown from where
  /// it was.
  case notShown(String)
  /// It was cut here: the check of this place failed, or did not answer in time.
  case notChecked(String)
  /// This place was shown and has gone again: what came after it took its place.
  case gone(String)
  /// It cannot be read at all; the root stays as it is.
  case unreadable(PlaceError)
  /// It is not shown, for this reason.
  case notRestored(NotRestored)
  /// The store failed; its words.
  case storeFailed(String)

  /// Why a place that could be read is not shown.
  public enum NotRestored: String, Sendable, Equatable {
    /// A link was faster.
    case linkCame
    /// The user has gone elsewhere.
    case userWasFaster
    /// It belongs to an account that is not the one signed in.
    case otherAccount
    /// Its account was signed out.
    case signedOut
  }
}

extension PlaceReport: CustomStringConvertible {
  /// What happened.
  public var description: String {
    switch self {
    case .restored: "the saved place is shown"
    case .unknownRoute(let name): "unknown route: \(legible(name)); the saved place ends before it"
    case .cut(let words): "\(words); the saved place ends before it"
    case .mended(let words): "the saved place is mended: \(words)"
    case .notChecked(let route):
      "\(legible(route)) could not be checked, or not in time; the saved place ends before it"
    case .gone(let route): "\(legible(route)) gave way to what was shown after it"
    case .notShown(let route): "\(legible(route)) cannot be shown; the saved place ends before it"
    case .unreadable(let error): "\(error); it is left out"
    case .notRestored(.linkCame): "the saved place is not shown: a link was faster"
    case .notRestored(.userWasFaster): "the saved place is not shown: the user was faster"
    case .notRestored(.otherAccount): "the saved place is not shown: it is another account's"
    case .notRestored(.signedOut): "the saved place is not shown: its account is signed out"
    case .storeFailed(let words):
      "the store of the saved place failed: \(legible(words, most: 2_000))"
    }
  }
}
