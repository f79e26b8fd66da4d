// What the user is told when something has not come about: words for people, whatever error it was.

import Millrace

/// What has happened, and what the user can do about it.
package func userWords(for error: any Error) -> String {
  switch error {
  case let error as LibraryError: "\(error)"
  case let error as CatalogueError: "\(error)"
  case is OperationTimedOut: "\(LibraryError.noAnswer)"
  case let error as WriteError: userWords(for: error)
  default:
    "This did not work, and it is not known whether the library has done it. Look, then try again."
  }
}

private func userWords(for error: WriteError) -> String {
  switch error {
  // The library's own words.
  case .ended(.rejected, let reason): reason
  case .ended(.withdrawn, _): "This was taken back before it was sent; nothing was done."
  case .ended(.refused, _), .refused(.journalReadOnly):
    "This could not be kept on this device, so it was not sent. Try again."
  case .refused(.alreadyRunning): "This is on its way already. Wait for the library's answer."
  case .refused(.alreadySettled): "This was done before. Begin anew to do it once more."
  case .refused(.intentInUse):
    "What you asked for before is on its way and cannot be changed. Wait for the library's answer."
  case .refused(.noSession): "\(LibraryError.signedOut)"
  case .refused, .unknownIntent, .ended: "This was not sent. Try again."
  }
}
