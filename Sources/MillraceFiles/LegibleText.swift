// Texts from outside in messages: a link, a name in a saved place, what a server said.

/// A text from outside on one line, without control characters and not too long.
///
/// - Parameter most: how many scalars of it are shown.
package func legible(_ text: some StringProtocol, most: Int = 200) -> String {
  var line = ""
  for scalar in text.unicodeScalars.prefix(most) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
      line += "\\u{\(String(scalar.value, radix: 16))}"
    default: line.unicodeScalars.append(scalar)
    }
  }
  return text.unicodeScalars.dropFirst(most).isEmpty ? line : line + "…"
}
