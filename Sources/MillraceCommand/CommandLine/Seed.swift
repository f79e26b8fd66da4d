// The seed of a command that was given none.

import Foundation

enum Seed {
  /// What to draw from: as the user says; else always the same, so that a run can be repeated, or by
  /// chance with a server. That remembers each key for ever: a key that an earlier launch drew, too,
  /// would stand for what was asked then.
  static func drawn(_ given: UInt64?, for server: URL?) -> UInt64 {
    given ?? (server == nil ? 1 : .random(in: .min ... .max))
  }
}
