// The terminal as the console uses it: frames go out, keys come in. What the system has to do with
// it is in TerminalHooks.

import MillraceFiles
import TerminalHooks

/// The terminal of this process, in raw mode and on its second screen.
final class Terminal {
  /// What came from the user or the system.
  struct Input {
    var keys: [Key] = []
    var isResized = false
    var hasEnded = false
  }

  /// Why there is no terminal to draw on.
  struct Failure: Error {
    let what: String
  }

  private var reader = KeyReader()
  private var shown: Grid?
  private let hasColour: Bool

  /// How long an escape waits for the rest of a sequence, in milliseconds.
  private static let patience: Int32 = 40

  /// Takes the terminal over. From here on it is restored however the process ends.
  init(hasColour: Bool) throws(Failure) {
    self.hasColour = hasColour
    let error = millrace_terminal_enter()
    guard error == 0 else { throw Failure(what: systemWords(error)) }
  }

  deinit { leave() }

  /// Gives it back.
  func leave() { millrace_terminal_leave() }

  /// Stops the process until it is told to go on, with the terminal restored meanwhile.
  func suspend() throws(Failure) {
    let error = millrace_terminal_suspend()
    guard error == 0 else { throw Failure(what: systemWords(error)) }
    shown = nil
  }

  /// The size in characters, that of an old terminal where this one does not tell.
  var size: (columns: Int, rows: Int) {
    var columns: Int32 = 0
    var rows: Int32 = 0
    unsafe millrace_terminal_size(&columns, &rows)
    // A grid of any size can be drawn; this bound is for terminals that tell nonsense.
    return columns > 0 && rows > 0 ? (Int(min(columns, 1_000)), Int(min(rows, 1_000))) : (80, 24)
  }

  /// Waits for keys, a new size, or the end.
  ///
  /// - Parameter limit: milliseconds; nil waits as long as it takes.
  func wait(limit: Int?) -> Input {
    let limit = reader.isWaiting ? Self.patience : limit.map { Int32(clamping: $0) } ?? -1
    let found = millrace_terminal_wait(limit)
    var input = Input()
    input.isResized = found & Int32(MILLRACE_TERMINAL_RESIZED) != 0
    input.hasEnded = found & Int32(MILLRACE_TERMINAL_ENDED) != 0
    if found & Int32(MILLRACE_TERMINAL_INPUT) != 0 {
      read(&input)
    } else if found == 0, reader.isWaiting {
      input.keys = reader.giveUp()
    }
    return input
  }

  private func read(_ input: inout Input) {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe millrace_terminal_read(buffer.baseAddress, Int64(buffer.count))
    }
    if count == 0 { input.hasEnded = true }
    if count > 0 { input.keys = reader.read(bytes.prefix(Int(count))) }
  }

  /// Shows a frame; writes only the rows that have changed.
  func show(_ grid: Grid) throws(Failure) {
    let text = grid.escapes(since: shown, hasColour: hasColour)
    shown = grid
    guard !text.isEmpty else { return }
    let bytes = Array(text.utf8)
    let error = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe millrace_terminal_write(buffer.baseAddress, Int64(buffer.count))
    }
    guard error == 0 else { throw Failure(what: systemWords(error)) }
  }

  /// Forgets what is shown: after a new size nothing of it may be left.
  func forget() { shown = nil }
}
