// Addresses in the code of the process: which function, and whether it is the user's own.

import RaceLabHooks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@_silgen_name("swift_demangle")
private func swiftDemangle(
  _ name: UnsafePointer<CChar>?, _ length: UInt, _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

enum Code {
  enum Owner {
    case user
    case lab
    /// The standard library, or the compiler alone.
    case nobody
  }

  /// What is known of an address.
  struct Function {
    /// Mangled name, if the file has its symbols.
    let name: String?
    /// The address as the program's own file counts; nil in a library.
    let offset: UInt?
    let owner: Owner
  }

  private struct State {
    var functions: [UInt: Function] = [:]
    var images: [String: Symbols] = [:]
  }

  /// The symbols of a file. Safe: the file stays mapped as long as the process lives.
  @safe private struct Symbols {
    private var image: RaceLabImage

    init(path: String) { unsafe image = racelab_open_image(path) }

    mutating func name(at offset: UInt) -> String? {
      unsafe racelab_name(&image, offset).map { unsafe String(cString: $0) }
    }
  }

  private static let state = Guarded(State())
  private static let deepest = 64

  /// The address at which a suspended task goes on in the user's own code, 0 if that is not known;
  /// and whether it was the lab that the user's code called there.
  static func place(ofTask task: UInt) -> (address: UInt, isInLab: Bool) {
    unsafe withUnsafeTemporaryAllocation(of: UInt.self, capacity: deepest) { frames in
      guard let base = frames.baseAddress else { return (0, false) }
      let count = unsafe racelab_frames(task, base, Int32(deepest))
      var isInLab = false
      for index in 0..<Int(count) {
        switch unsafe function(at: frames[index]).owner {
        case .user: return unsafe (frames[index], isInLab)
        case .lab: isInLab = true
        case .nobody: break
        }
      }
      return (0, isInLab)
    }
  }

  static func function(at address: UInt) -> Function {
    state.withLock { state in
      if let known = state.functions[address] { return known }
      let function = find(address, &state)
      state.functions[address] = function
      return function
    }
  }

  private static func find(_ address: UInt, _ state: inout State) -> Function {
    let code = unsafe racelab_code(address)
    guard let image = unsafe code.image else {
      return Function(name: nil, offset: nil, owner: .nobody)
    }
    let (path, offset, isProgram) = unsafe (String(cString: image), code.offset, code.isProgram)
    let name = state.images[path, default: Symbols(path: path)].name(at: offset)
    let isLibrary = path.contains("/libswift") || path.contains("/libdispatch")
    return Function(
      name: name, offset: isProgram ? offset : nil,
      owner: isLibrary ? .nobody : name.map(owner) ?? (isProgram ? .user : .nobody))
  }

  /// Who wrote a function of the program.
  private static func owner(_ name: String) -> Owner {
    // A function begins with the length of its module's name; what the compiler makes for no module,
    // and the standard library's, begin otherwise.
    guard name.hasPrefix("$s"), name.dropFirst(2).first?.isNumber == true else { return .nobody }
    let rest = name.dropFirst(2)
    return rest.hasPrefix("7RaceLab") || rest.hasPrefix("14RaceLabTesting") ? .lab : .user
  }

  /// A name for people: without modules, types of arguments, and what the compiler adds.
  static func readable(_ mangled: String) -> String {
    let length = UInt(mangled.utf8.count)
    guard let raw = unsafe swiftDemangle(mangled, length, nil, nil, 0) else { return mangled }
    defer { unsafe free(raw) }
    return shortened(unsafe String(cString: raw))
  }

  static func shortened(_ demangled: String) -> String {
    var text = demangled
    while let part = text.range(of: "partial function for ")
      ?? text.range(of: "partial apply forwarder for ")
    {
      text = String(text[part.upperBound...])
    }
    // (Name in _0123456789ABCDEF) of something private.
    text = text.replacing(/\(([^()]*) in _[0-9A-F]{8,}\)/) { $0.1 }
    // What the optimizer made of a function carries its name last.
    if let part = text.ranges(of: "> of ").last { text = String(text[part.upperBound...]) }
    let isClosure = text.hasPrefix("closure #")
    if let last = text.ranges(of: " in ").last, isClosure {
      text = String(text[last.upperBound...])
    }
    var name = text.prefix { $0 != "(" && $0 != ":" && $0 != "<" }
    for word in ["static ", "generic specialization "] where name.hasPrefix(word) {
      name = name.dropFirst(word.count)
    }
    // The module.
    if let dot = name.firstIndex(of: "."), dot < name.endIndex {
      name = name[name.index(after: dot)...]
    }
    // The number of a local function, and what stands before its arguments.
    if let end = name.firstIndex(of: " ") { name = name[..<end] }
    for ending in [".getter", ".setter"] where name.hasSuffix(ending) {
      name = name.dropLast(ending.count)
    }
    let short = name.isEmpty ? demangled : String(name)
    return isClosure ? "closure in \(short)" : short
  }
}

extension String {
  fileprivate func range(of part: String) -> Range<String.Index>? { ranges(of: part).first }
}
