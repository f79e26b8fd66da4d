// A thread of a run's own. Jobs must not be run nested inside another task's job: exclusivity
// tracking and the active executor would be those of the outer one. A fresh thread has neither.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

enum LabThread {
  /// Bytes of stack, as the first thread of a process usually has.
  private static let stackSize = 8 << 20

  private final class Start {
    let body: () -> Void
    init(body: @escaping () -> Void) { self.body = body }
  }

  /// Runs `body` on a new, detached thread. Returns false if the system has no thread left.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let start = unsafe Unmanaged.passRetained(Start(body: body))
    #if canImport(Darwin)
      var thread: pthread_t?
      let error = unsafe pthread_create(
        &thread, &attributes,
        { raw in
          unsafe Unmanaged<Start>.fromOpaque(raw).takeRetainedValue().body()
          return nil
        }, start.toOpaque())
    #else
      var thread = pthread_t()
      let error = unsafe pthread_create(
        &thread, &attributes,
        { raw in
          if let raw = unsafe raw {
            unsafe Unmanaged<Start>.fromOpaque(raw).takeRetainedValue().body()
          }
          return nil
        }, start.toOpaque())
    #endif
    if error != 0 { unsafe start.release() }
    return error == 0
  }
}
