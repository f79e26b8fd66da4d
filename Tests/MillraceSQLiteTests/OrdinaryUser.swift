// What permissions forbid, tried as the superuser too: on a thread that has given up its rights.

#if SQLite
  import CLossyFiles
  import Foundation
  import Synchronization
  import Testing

  /// Runs tasks on one thread of its own, as a user whom permissions bind.
  final class OrdinaryUser: TaskExecutor {
    /// The user "nobody".
    static let id: UInt32 = 65_534
    static let whyNot: Comment =
      "permissions do not bind the superuser, and no thread can be another user's"
    /// Whether `asOrdinaryUser` can do what it says.
    static let isPossible = geteuid() != 0 || shared.start()
    fileprivate static let shared = OrdinaryUser()

    private let jobs = Mutex<[UnownedJob]>([])
    private let waiting = DispatchSemaphore(value: 0)
    private let hasNoRights = Atomic(false)

    /// False if the thread cannot give up its rights.
    private func start() -> Bool {
      let begun = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [self] in
        hasNoRights.store(ordinary_become(Self.id) == 0, ordering: .releasing)
        begun.signal()
        if hasNoRights.load(ordering: .acquiring) { work() }
      }
      begun.wait()
      return hasNoRights.load(ordering: .acquiring)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
      waiting.signal()
    }

    private func work() {
      while true {
        waiting.wait()
        let job = jobs.withLock { $0.removeFirst() }
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  /// Runs the body as a user whom permissions bind; `Folder.giveAway` gives that user the files.
  func asOrdinaryUser<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    guard geteuid() == 0 else { return try await body() }
    return try await withTaskExecutorPreference(OrdinaryUser.shared, operation: body)
  }

  extension Folder {
    /// Makes the folder and all in it the ordinary user's, as it is for one who is not the superuser.
    func giveAway() throws {
      guard geteuid() == 0 else { return }
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
      for path in names.map({ self.path($0) }) + [url.path] {
        try FileManager.default.setAttributes(
          [.ownerAccountID: OrdinaryUser.id], ofItemAtPath: path)
      }
    }
  }
#endif
