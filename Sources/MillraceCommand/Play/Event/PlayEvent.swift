// What a user may do in `millrace play`, as values. Keys are translated into them, scripts are made
// of them, and a recording is a list of them: all three drive the app by the same door.

import Millrace

/// One thing that the user does, in the window in front unless it says otherwise.
package enum PlayEvent: Equatable, Sendable {
  /// Chooses a button or a row of the screen on top, by its name.
  case choose(String)
  /// Puts a text into a field of the screen on top, in place of the one that was there.
  case type(String, field: String)
  /// Goes to a tab of the screen on top.
  case select(tab: String)
  /// Taps Back: takes away the screen on top, or the named flow, if its guard lets it go.
  case back(FlowID?)
  /// Swipes the screen on top away, or the named flow. A flow that is not there is reported all the
  /// same, as a host does whose report comes late.
  case swipe(FlowID?)
  /// Begins to swipe away the screen on top, or the named flow.
  case begin(FlowID?)
  /// Lets go of the gesture: all is as it was.
  case letGo
  /// Goes through with the gesture.
  case complete
  /// Signs out, whatever is open.
  case signOut
  /// A link comes, for the window in front.
  case openLink(String)
  /// Locks the app, as when it goes into the background. Its screen asks for the PIN of the card.
  case lock
  /// Opens a window, and goes to it.
  case openWindow
  /// Goes to the window of this number.
  case useWindow(Int)
  /// Closes the window in front.
  case closeWindow
  /// Lets this many milliseconds pass, or, without a number, as many as somebody waits for, up to an hour.
  /// Without a number a link that is parked has waited in vain after it: its expiry is waited for, too.
  case wait(Int?)
}

extension PlayEvent {
  /// The longest wait, in milliseconds.
  package static let longestWait = 3_600_000

  /// The word that names each kind in a script.
  enum Word: String, CaseIterable {
    case choose, type, select, back, swipe, begin, complete, wait, lock
    case letGo = "let go"
    case signOut = "sign out"
    case openLink = "open link"
    case openWindow = "open window"
    case useWindow = "use window"
    case closeWindow = "close window"
  }

  var word: Word {
    switch self {
    case .choose: .choose
    case .type: .type
    case .select: .select
    case .back: .back
    case .swipe: .swipe
    case .begin: .begin
    case .letGo: .letGo
    case .complete: .complete
    case .signOut: .signOut
    case .openLink: .openLink
    case .lock: .lock
    case .openWindow: .openWindow
    case .useWindow: .useWindow
    case .closeWindow: .closeWindow
    case .wait: .wait
    }
  }
}
