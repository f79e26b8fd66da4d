// Links, the lock and the saved place of a session: how a script or a key gets at them, and what is
// told of them.

import LibraryApp
import Millrace
import MillraceRoutes

extension PlaySession {
  /// Who is signed in where a saved place is shown in the library in the process: it is new, and knows
  /// nobody yet.
  private static let name = "Ada"
  private static let pin = "1815"

  /// Starts from the place in a file, if there is one, and keeps the place there from then on.
  ///
  /// - Parameter tell: takes what is wrong with it.
  package func keepPlace(
    in file: PlaceFile, tell: @escaping @MainActor (PlaceFile.Fault) -> Void = { _ in }
  ) async {
    app.keepPlace(in: file.store) { [log, weak self] report in
      // What fails since the play is over is no fault of the place.
      guard self?.isOver == false else { return }
      log.note("\(report)")
      if let fault = file.complaint(about: report) { tell(fault) }
    }
    keepsPlace = true
    await settle()
    guard let id = file.member, let embedded, let signIn = app.signIn else { return }
    let member = Member(id: id, name: Self.name)
    signIn.signIn(with: await embedded.admit(member, pin: Self.pin))
    log.note("\(Self.name) is signed in as \(id), with PIN \(Self.pin): the saved place is hers")
    await settle()
    await wait(nil)
  }

  /// Keeps the place as it is now. A gesture that is going on is let go.
  package func savePlace() async {
    guard keepsPlace else { return }
    for window in windows { window.host.letGo() }
    await settle()
    app.links.savePlaces()
    await settle()
  }

  /// Keeps the place as it is now, for the last time: what is under way then fails, and is not told.
  package func end() async {
    await savePlace()
    isOver = true
  }

  /// Takes a link to the window in front.
  func open(link: String) {
    let links = app.links
    if links.onVerdict == nil {
      links.onVerdict = { [log] delivery in
        if delivery.verdict != .deciding { log.note("link \(delivery.verdict)") }
      }
    }
    links.deliver(link)
  }

  func lock() throws(PlayRefusal) {
    guard app.lock.lock() else {
      throw PlayRefusal(what: "nobody is signed in", remedy: "Sign in first.")
    }
  }
}
