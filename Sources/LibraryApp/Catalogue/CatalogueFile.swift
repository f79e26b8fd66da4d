// The bytes of a catalogue file, read with a bound.

import Foundation
import MillraceFiles

private let largestFile = 64 * 1_048_576

/// Reads a whole file of at most 64 MB; also from a pipe. Before it waits for somebody to write to a pipe
/// with a name, it calls `onWait`.
func contents(
  ofFile path: String, onWait: () -> Void
) throws(CatalogueError) -> Data {
  func failure(_ reason: String) -> CatalogueError {
    CatalogueError(source: path, problem: .unreadable(reason: reason))
  }
  var isFolder: ObjCBool = false
  // Safe: the call writes one flag before it returns, and keeps no pointer.
  guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
    throw failure("there is no such file")
  }
  guard !isFolder.boolValue else { throw failure("it is a folder") }
  guard FileManager.default.isReadableFile(atPath: path) else {
    throw failure("you may not read it")
  }
  let content: Data
  do throws(InputFile.Unreadable) {
    content = try InputFile(path, onWait: onWait).readAll(until: largestFile + 1)
  } catch { throw failure(error.reason) }
  guard content.count <= largestFile else {
    throw CatalogueError(source: path, problem: .tooLarge(limit: largestFile))
  }
  return content
}

func isJSONWhitespace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
