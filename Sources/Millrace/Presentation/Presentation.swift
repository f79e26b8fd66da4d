// How a child is shown. The runtime tells the host; the host reports what really happened.

/// How a flow is shown. Changing push to sheet is this one word.
public enum Presentation: String, Sendable, Equatable {
  /// Part of its owner's screen, or not shown at all: the host hears nothing of it.
  case inline
  /// The first screen of a window.
  case root
  /// On top of a stack.
  case push
  /// A sheet over what is there.
  case sheet
  /// A cover over the whole window.
  case cover
  /// An alert.
  case alert
  /// A tab, or the first screen of one.
  case tab
}

/// What a host is asked to do.
public enum HostCommand: Sendable, Equatable {
  /// Show a flow; `over` is the nearest flow above it that is shown.
  case show(FlowID, as: Presentation, over: FlowID?)
  /// Take away a flow, and all that is shown above it.
  case dismiss(FlowID)
}

/// What a host reports. Reports name flows by id, may repeat, and may come from any thread.
public enum HostReport: Sendable, Equatable {
  /// The flow is on the screen.
  case didShow(FlowID)
  /// The flow is off the screen, by the user or as asked.
  case didDismiss(FlowID)
  /// The flow is covered by another, or visible again: see `OperationLifetime.appearance`.
  case didCover(FlowID)
  /// The flow can be seen again.
  case didUncover(FlowID)
  /// An interactive dismissal of the flow began. Changes nothing.
  case gestureBegan(FlowID)
  /// The user let go. Changes nothing.
  case gestureCancelled(FlowID)
  /// The interactive dismissal was completed.
  case gestureCompleted(FlowID)
}

/// The adapter to a user interface.
@MainActor
public protocol Host: AnyObject {
  /// Does what is asked, or begins to, and reports through `FlowWindow.report` when it is done.
  func perform(_ command: HostCommand)
}
