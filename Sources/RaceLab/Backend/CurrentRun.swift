// Which lab the current thread works for. Executors ask here for every job: a thread that works
// for no lab is passed through to the platform.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The run of the current thread, if it has one.
enum CurrentRun {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let error = unsafe pthread_key_create(&key, nil)
    precondition(error == 0, "No thread-local key left (error \(error)).")
    return key
  }()

  /// The run whose jobs the current thread collects or executes.
  static var value: LabRun? {
    guard let raw = unsafe pthread_getspecific(key) else { return nil }
    return unsafe Unmanaged<LabRun>.fromOpaque(raw).takeUnretainedValue()
  }

  /// Makes `run` the current one while `body` runs. The caller keeps `run` alive.
  static func with<R>(_ run: LabRun, _ body: () throws -> R) rethrows -> R {
    let before = unsafe pthread_getspecific(key)
    unsafe pthread_setspecific(key, Unmanaged.passUnretained(run).toOpaque())
    defer { unsafe pthread_setspecific(key, before) }
    return try body()
  }
}
