// Programs of this package, for tests that run them as a user does.

import Foundation

package enum BuiltProduct {
  /// Where a program is that was built along with the test that runs now: in the folder of the test
  /// bundle, which on Apple's systems has the test's code further down.
  package static func url(of name: String) throws -> URL {
    let candidates =
      CommandLine.arguments.filter { $0.contains(".xctest") }
      + Bundle.allBundles.map(\.bundlePath) + [Bundle.main.bundlePath]
    for candidate in candidates {
      var folder = URL(fileURLWithPath: candidate)
      for _ in 0..<5 {
        let file = folder.appending(path: name)
        let kind = try? file.resourceValues(forKeys: [.isRegularFileKey])
        if kind?.isRegularFile == true, FileManager.default.isExecutableFile(atPath: file.path) {
          return file
        }
        folder.deleteLastPathComponent()
      }
    }
    throw NotBuilt(name: name, candidates: candidates)
  }

  package struct NotBuilt: Error {
    package let name: String
    package let candidates: [String]
  }
}
