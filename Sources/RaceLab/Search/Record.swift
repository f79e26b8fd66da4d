// The decisions of the run at hand, on disk while it runs: memory that the system writes to a file
// also when the process traps. What a trap leaves is found by the next search of the scenario.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Layout of the file, in the machine's byte order: 8 bytes of magic, 8 bytes with the number of
/// decisions, and 16 bytes for each: its index, and kind, count and value in one word.
@safe final class Record {
  private static let magic: UInt64 = 0x3147_4e49_4e4e_5552
  private static let capacity = 4096
  private static let size = 16 + capacity * 16

  /// Where records are kept unless something else is said.
  static var defaultFolder: String? {
    if let folder = environment("RACELAB_RECORDS") { return folder.isEmpty ? nil : folder }
    return (environment("TMPDIR") ?? "/tmp") + "/racelab"
  }

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  private let path: String
  private let words: UnsafeMutablePointer<UInt64>
  private var count = 0

  private init(path: String, words: UnsafeMutablePointer<UInt64>) {
    self.path = path
    unsafe self.words = unsafe words
  }

  /// Makes a record for a search. Nil if there is no folder, or the file cannot be made: a search
  /// is worth making also without.
  static func open(for scenario: String, in folder: String?) -> Record? {
    guard let folder else { return nil }
    unsafe mkdir(folder, 0o700)
    tellLeftBehind(scenario, in: folder)
    let path = "\(folder)/\(getpid())-\(serial())-\(safe(scenario)).run"
    return make(path)
  }

  static func make(_ path: String) -> Record? {
    let file = Self.openFile(path, O_RDWR | O_CREAT | O_TRUNC)
    guard file >= 0 else { return nil }
    defer { Self.closeFile(file) }
    guard ftruncate(file, off_t(size)) == 0 else { return nil }
    guard
      let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      unsafe memory != MAP_FAILED
    else { return nil }
    let words = unsafe memory.bindMemory(to: UInt64.self, capacity: size / 8)
    unsafe words[0] = magic
    unsafe words[1] = 0
    return unsafe Record(path: path, words: words)
  }

  func begin() {
    count = 0
    unsafe words[1] = 0
  }

  func add(_ deviation: Deviation) {
    guard count < Self.capacity else { return }
    let pick = deviation.pick
    unsafe words[2 + count * 2] = UInt64(deviation.index)
    unsafe words[3 + count * 2] =
      UInt64(pick.kind.rawValue) << 32 | UInt64(pick.count) << 16 | UInt64(pick.value)
    count += 1
    unsafe words[1] = UInt64(count)
  }

  /// Removes the file: the search is over.
  func close() {
    unsafe munmap(words, Self.size)
    unsafe unlink(path)
  }

  /// Reads what a process left that has ended. Nil if it is no record.
  static func read(_ path: String, scenario: String) -> Token? {
    let file = openFile(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { closeFile(file) }
    var words = [UInt64](repeating: 0, count: size / 8)
    let length = unsafe words.withUnsafeMutableBytes { unsafe Self.readFile(file, $0) }
    guard length == size, words[0] == magic, words[1] <= UInt64(capacity) else { return nil }
    let deviations = (0..<Int(words[1])).compactMap { number -> Deviation? in
      let word = words[3 + number * 2]
      guard let kind = ChoiceKind(rawValue: UInt8(truncatingIfNeeded: word >> 32)) else {
        return nil
      }
      let pick = Pick(
        kind: kind, count: UInt16(truncatingIfNeeded: word >> 16),
        value: UInt16(truncatingIfNeeded: word))
      return Deviation(index: Int(truncatingIfNeeded: words[2 + number * 2]), pick: pick)
    }
    return Token(scenario: scenario, deviations: deviations, hash: 0)
  }

  /// Says which run of the scenario ended its process, if one did.
  private static func tellLeftBehind(_ scenario: String, in folder: String) {
    guard let entries = unsafe opendir(folder) else { return }
    defer { unsafe closedir(entries) }
    let ending = "-\(safe(scenario)).run"
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      guard name.hasSuffix(ending), let process = Int32(name.prefix { $0 != "-" }),
        process != getpid(), kill(process, 0) != 0, errno == ESRCH,
        let token = read("\(folder)/\(name)", scenario: scenario)
      else { continue }
      unsafe unlink("\(folder)/\(name)")
      let note = "\(scenario): an earlier run ended its process. Repeat it: \(token)\n"
      var bytes = Array(note.utf8)
      unsafe bytes.withUnsafeMutableBytes { buffer in
        _ = unsafe write(2, buffer.baseAddress, buffer.count)
      }
    }
  }

  private static func safe(_ name: String) -> String {
    String(name.prefix(60).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private static let number = Guarded(0)
  private static func serial() -> Int {
    number.withLock { number in
      number += 1
      return number
    }
  }

  private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
    systemOpen(path, flags)
  }

  private static func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.open(path, flags, 0o600)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags, 0o600)
    #else
      unsafe Darwin.open(path, flags, 0o600)
    #endif
  }

  private static func closeFile(_ file: Int32) {
    #if canImport(Glibc)
      Glibc.close(file)
    #elseif canImport(Musl)
      Musl.close(file)
    #else
      Darwin.close(file)
    #endif
  }

  private static func readFile(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      unsafe Musl.read(file, buffer.baseAddress, buffer.count)
    #else
      unsafe Darwin.read(file, buffer.baseAddress, buffer.count)
    #endif
  }
}

extension Token {
  /// The run that a process was making when it ended without warning, from the record that it
  /// left at `path`; nil if there is none. `scenario` is the name it was made for.
  public static func leftBehind(at path: String, scenario: String) -> Token? {
    Record.read(path, scenario: scenario)
  }
}
