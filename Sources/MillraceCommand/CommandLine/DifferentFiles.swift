// Files of one command that must not be the same: one of them is written.

import Foundation

/// Throws if two options name the same file: by the same path, or by a link of either kind.
func requireDifferentFiles(_ named: [(option: String, path: String?)]) throws(UsageError) {
  var seen: [String: String] = [:]
  for (option, path) in named {
    for key in path.map(names(of:)) ?? [] {
      if let other = seen[key], other != option {
        throw UsageError(
          "\(other) and \(option) name the same file", remedy: "Name another one for \(option).")
      }
      seen[key] = option
    }
  }
}

/// What stands for the file: its path, with and without links, and what the system knows it by, if it is
/// there. A file that is not there yet is known by its folder.
private func names(of path: String) -> [String] {
  let url = URL(fileURLWithPath: path).standardizedFileURL
  let resolved = url.resolvingSymlinksInPath()
  let folder = identity(resolved.deletingLastPathComponent().path)
  return [url.path, resolved.path]
    + [identity(path), folder.map { "\($0)/\(resolved.lastPathComponent)" }].compactMap(\.self)
}

/// Device and number of a file; nil if there is none.
private func identity(_ path: String) -> String? {
  var status = stat()
  guard unsafe stat(path, &status) == 0 else { return nil }
  return "\(status.st_dev):\(status.st_ino)"
}
