// The file of `--restore`. It is looked at before the play begins: what is wrong with it is told while
// nothing has been changed, and the file stays as it is. What a place loses later is kept beside it.

import Foundation
import LibraryApp
import Millrace
import MillraceRoutes

/// A file that a place is read from and kept in.
package struct PlaceFile: Sendable {
  /// Why there is no play.
  package struct Fault: Complaint, Equatable {
    package let what: String
    package let remedy: String
    let status: ExitStatus
  }

  package let path: String
  package let store: CopiedPlaceStore
  /// What the file held; nil if there was none, or nothing in it.
  package let place: SavedPlace<LibraryRoute>?

  /// Reads the file, if there is one.
  ///
  /// - Parameter isInProcess: whether the library is the one in the process, where only accounts of
  ///   its own kind can be signed in.
  package init(_ path: String, isInProcess: Bool) async throws(Fault) {
    self.path = path
    let file = FilePlaceStore(file: URL(fileURLWithPath: path))
    let bytes: [UInt8]
    do { bytes = try await file.load() ?? [] } catch {
      throw Fault(
        what: "the saved place: \(error)", remedy: "Name a file, such as --restore place.json.",
        status: .noInput)
    }
    store = CopiedPlaceStore(file, path: path, bytes: bytes)
    do { try await file.checkWritable() } catch {
      throw Fault(
        what: "the place cannot be kept: \(error)",
        remedy: "Name a file in a folder that exists and that you may write to.",
        status: .noOutput)
    }
    guard !bytes.isEmpty else {
      place = nil
      return
    }
    do throws(PlaceError) { place = try SavedPlace<LibraryRoute>.read(bytes).place } catch {
      throw Fault(
        what: "\(printable(path)): \(error)", remedy: Self.remedy(of: error), status: .wrongData)
    }
    try requireRoot()
    try requireAccount(isInProcess)
  }

  private static func remedy(of error: PlaceError) -> String {
    switch error {
    case .version(let version) where version > SavedPlace<LibraryRoute>.version:
      "Use the newer millrace, or name another file."
    case .version: #"Put "version": 1 there, or name another file."#
    case .tooLong, .damaged:
      "The file stays as it is: correct it, remove it to begin anew, or name another one. A place is "
        + #"such as {"version": 1, "account": "M1", "stack": [{"route": {"home": {}}}]}."#
    }
  }

  /// The member whose place it is, if it is one of the library in the process.
  package var member: Member.ID? { place?.account.flatMap { Member.ID($0.id) } }

  private func requireRoot() throws(Fault) {
    guard let first = place?.stack.first?.route, first.parent != nil else { return }
    throw Fault(
      what: "\(printable(path)): the saved place begins at \(first), which is shown from elsewhere",
      remedy: "Begin it at the home: its tabs are in \"tabs\".", status: .wrongData)
  }

  private func requireAccount(_ isInProcess: Bool) throws(Fault) {
    guard let account = place?.account else {
      throw Fault(
        what: "\(printable(path)): the saved place does not say whose it is",
        remedy: #"Add "account": "M1" to it, or name another file."#, status: .wrongData)
    }
    guard !isInProcess || member != nil else {
      throw Fault(
        what:
          "\(printable(path)): the saved place belongs to \"\(printable(account.id))\", and the "
          + "members of this library are M1, M2 and so on",
        remedy: "Change its account, name another file, or give the --server that it is from.",
        status: .wrongData)
    }
  }

  /// What is to be told of a report; nil for nothing. What the place loses by it is kept first.
  func complaint(about report: PlaceReport) -> Fault? {
    let what = "\(printable(path)): \(report)"
    switch report {
    case .restored, .notRestored(.signedOut): return nil
    case .storeFailed:
      return Fault(what: what, remedy: "The place is not kept until then.", status: .noOutput)
    case .notRestored(.otherAccount):
      let owner = place?.account.map { " Sign in as \(printable($0.id)) to see it." } ?? ""
      return kept(what, owner)
    case .unknownRoute, .cut, .mended, .notShown, .notChecked, .gone, .unreadable, .notRestored:
      return kept(what)
    }
  }

  /// Keeps what the file held beside it, and says what became of that.
  private func kept(_ what: String, _ more: String = "") -> Fault {
    switch store.keepCopy() {
    case .success(let copy):
      Fault(
        what: what, remedy: "What it held is kept in \(printable(copy)).\(more)",
        status: .asExpected)
    case .failure(let error):
      Fault(
        what: what + "; what it held cannot be kept beside it: \(error.reason)",
        remedy: "The file stays as it is, and no place is kept: move it away, and start again.",
        status: .noOutput)
    }
  }
}
