// A scenario with a name, for those who keep many.

/// Something to run under many schedules, with a name that tokens and reports use.
public struct Scenario: Sendable {
  /// Its name; unique in a suite.
  public let name: String
  /// What it shows, in a few words; may be empty.
  public let summary: String
  /// How many tasks a search may cancel in one run.
  public let cancels: Int
  /// What is run; see ``explore(_:schedules:strategy:seed:cancelEverywhere:isolation:_:)``.
  public let body: @MainActor (Lab) async throws -> Void

  /// A scenario of that name.
  public init(
    _ name: String, summary: String = "", cancels: Int = 0,
    _ body: @escaping @MainActor (Lab) async throws -> Void
  ) {
    self.name = name
    self.summary = summary
    self.cancels = cancels
    self.body = body
  }
}
