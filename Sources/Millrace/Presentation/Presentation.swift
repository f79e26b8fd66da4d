// How a flow is shown. One word at the start of a child; changing push to sheet is changing it.

/// How a flow is shown.
public enum Presentation: String, Sendable, Equatable, CaseIterable {
  /// Part of its owner's screen, or not shown at all: the host hears nothing of it.
  case inline
  /// The first screen of a window. For a child: in place of all that is above its owner's screen
  /// in the stack, which ends as replaced.
  case root
  /// On top of the stack that its owner's screen is in.
  case push
  /// A sheet over all that is in the window.
  case sheet
  /// A cover over the whole window.
  case cover
  /// An alert, see `Alert`.
  case alert
  /// A confirmation dialog: an alert that may be left without an answer.
  case confirmation
  /// A tab of its owner's screen: the first screen of a stack of its own.
  case tab

  /// True for what is put over a window: sheet, cover, alert and confirmation dialog.
  public var isModal: Bool {
    switch self {
    case .sheet, .cover, .alert, .confirmation: true
    case .inline, .root, .push, .tab: false
    }
  }

  /// True for a question that leaves what is under it in sight: alert and confirmation dialog.
  public var isQuestion: Bool { self == .alert || self == .confirmation }
}
