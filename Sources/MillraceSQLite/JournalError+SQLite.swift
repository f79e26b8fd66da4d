// What SQLite and the system say of a file, as a `JournalError` that says how to mend it.

#if SQLite
  import CSQLite
  import Millrace

  extension JournalError {
    /// What SQLite's code and words say.
    init(code: Int32, _ words: String, _ path: String) {
      let words = "\(words), SQLite code \(code)"
      switch code & 0xFF {
      case SQLITE_CORRUPT, SQLITE_NOTADB: self.init(damaged: path, words)
      case SQLITE_BUSY, SQLITE_LOCKED: self.init(.locked, "\(path): \(words)")
      case SQLITE_FULL: self.init(.full, "\(path): \(words)")
      case SQLITE_READONLY, SQLITE_PERM: self.init(.readOnly, "\(path): \(words)")
      case SQLITE_IOERR:
        self.init(.unavailable, "\(path): \(words); check the disk, and start the app again")
      default: self.init(.unavailable, "\(path): \(words)")
      }
    }

    /// A file that holds something else than what was written.
    init(damaged path: String, _ what: String) {
      self.init(
        .damaged,
        "\(path): \(what); to go on, move it and the files beside it (-wal, -shm, -journal) away "
          + "and keep them: a new journal is made at the next start, without the writes in the old one"
      )
    }

    /// A file that is not there any more, while its log is.
    init(missing path: String, log: String) {
      self.init(
        .missing,
        "\(path) is not there, and its log \(path)\(log) is; without the log a new journal is made, "
          + "without the writes in it")
    }

    /// Why the file cannot be opened; nil if that cannot be found out.
    init?(cannotOpen path: String) {
      let folder = Self.folder(of: path)
      switch unsafe (millrace_size(path), millrace_size(folder)) {
      case (-4, _):
        self.init(
          .unavailable,
          "\(path) is no file but a FIFO, a socket or a device; give the path of a file")
      case (-2, _):
        self.init(.unavailable, "\(path) is a folder; give the path of a file in it")
      case (-3, _):
        self.init(
          .unavailable,
          "\(path): a folder of it may not be looked into; change its permissions, "
            + "or give another path")
      case (-1, -1):
        self.init(
          .unavailable, "\(path): there is no folder \(folder); make it, or give another path")
      case (-1, 0...):
        self.init(.unavailable, "\(path): \(folder) is not a folder; give another path")
      case (-1, _):
        guard unsafe millrace_access(folder) & 2 == 0 else { return nil }
        self.init(
          .unavailable,
          "\(path): no file may be made in the folder \(folder); change its permissions, "
            + "or give another path")
      default:
        let access = unsafe millrace_access(path)
        if access & 1 == 0 {
          self.init(.unavailable, "\(path) may not be read; change its permissions")
        } else if unsafe access & 2 == 0 || millrace_access(folder) & 2 == 0 {
          self.init(
            .readOnly, "\(path): the file or its folder \(folder) may not be written")
        } else {
          return nil
        }
      }
    }

    private static func folder(of path: String) -> String {
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
      return slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }
#endif
