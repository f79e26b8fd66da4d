// What ends a command before it is done, as it is told: what is wrong, how to mend it, and how the
// process ends.

import LibraryApp

/// An error that the user can mend.
protocol Complaint: Error {
  /// What is wrong, and where.
  var what: String { get }
  /// What to do about it.
  var remedy: String { get }
  /// How the process ends.
  var status: ExitStatus { get }
}

extension UsageError: Complaint {
  var status: ExitStatus { .wrongUsage }
}

extension CatalogueError: Complaint {
  var what: String { description }
  var status: ExitStatus { if case .unreadable = problem { .noInput } else { .wrongData } }
}

extension Main {
  /// Tells that nothing goes on until somebody writes to this pipe.
  static func tellWaiting(for path: String) {
    complain(
      "waiting for somebody to write to \(printable(path))",
      remedy: "It is a pipe; Ctrl-C ends this.")
  }

  /// Tells it on the standard error.
  ///
  /// - Returns: how the process ends.
  @discardableResult
  static func tell(_ complaint: any Complaint) -> ExitStatus {
    complain(complaint.what, remedy: complaint.remedy)
    return complaint.status
  }

  /// Tells an error on the standard error.
  ///
  /// - Parameters:
  ///   - what: what to say before an error that no user can mend.
  ///   - remedy: what to do about such a one.
  /// - Returns: how the process ends.
  static func tell(
    _ error: any Error, otherwise what: String, remedy: String
  ) -> ExitStatus {
    if let complaint = error as? any Complaint { return tell(complaint) }
    complain("\(what): \(error)", remedy: remedy)
    return .different
  }
}

extension Catalogue {
  /// Reads the books of a file, or the built-in ones for nil.
  init(file path: String?) throws(CatalogueError) {
    self =
      if let path {
        try Catalogue(path: path) { Main.tellWaiting(for: path) }
      } else { try Catalogue.builtIn() }
  }
}
