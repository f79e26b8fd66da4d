// Faults of state behind an actor that is asked and then acted upon in two calls.

import RaceLab

private actor Accounts {
  private(set) var accounts: [String: Int] = [:]
  private(set) var images: [String] = []
  private(set) var created = 0

  init(_ names: [String] = []) {
    for name in names { accounts[name] = 0 }
  }

  func exists(_ name: String) -> Bool { accounts[name] != nil }
  func version(_ name: String) -> Int { accounts[name] ?? 0 }

  func create(_ name: String) {
    accounts[name] = 0
    created += 1
  }

  func createIfAbsent(_ name: String) {
    if accounts[name] == nil { create(name) }
  }

  @discardableResult func delete(_ name: String) -> Bool {
    images.removeAll { $0 == name }
    return accounts.removeValue(forKey: name) != nil
  }

  func write(_ name: String, _ version: Int) { accounts[name] = version }

  func write(_ name: String, _ version: Int, ifStill old: Int) -> Bool {
    guard accounts[name] == old else { return false }
    accounts[name] = version
    return true
  }

  func addImage(_ name: String) { images.append(name) }

  func addImageIfThere(_ name: String) {
    if accounts[name] != nil { images.append(name) }
  }

  var orphans: Int { images.filter { accounts[$0] == nil }.count }
}

private actor ImageCache {
  private var images: [String: Int] = [:]
  private var loading: [String: Task<Int, Never>] = [:]
  private let server: ImageServer

  init(server: ImageServer) { self.server = server }

  func cached(_ name: String) -> Int? { images[name] }

  func load(_ name: String) async -> Int {
    if let image = images[name] { return image }
    let image = await server.download()
    images[name] = image
    return image
  }

  func loadOnce(_ name: String) async -> Int {
    if let image = images[name] { return image }
    if let task = loading[name] { return await task.value }
    let task = Task { await server.download() }
    loading[name] = task
    let image = await task.value
    loading[name] = nil
    images[name] = image
    return image
  }
}

private actor ImageServer {
  private(set) var downloads = 0
  func download() async -> Int {
    downloads += 1
    let image = downloads
    await Task.yield()
    return image
  }
}

private actor Sessions {
  private var access = 0
  private var refresh = 1
  private var refreshing: Task<Void, Never>?
  private(set) var isSignedOut = false
  private let server: TokenServer

  init(server: TokenServer) { self.server = server }

  func call() async {
    if access == 0 { await renew(refresh) }
  }

  func callJoined() async {
    guard access == 0 else { return }
    if let refreshing { return await refreshing.value }
    let task = Task { await self.renew(self.refresh) }
    refreshing = task
    await task.value
    refreshing = nil
  }

  private func renew(_ token: Int) async {
    if let next = await server.exchange(token) {
      refresh = next
      access = next
    } else {
      isSignedOut = true
    }
  }
}

private actor TokenServer {
  private var valid = 1
  func exchange(_ token: Int) -> Int? {
    guard token == valid else { return nil }
    valid += 1
    return valid
  }
}

private actor Batches {
  private var queue: [Int] = [3]
  func maximum() -> Int { queue.max() ?? 0 }
  func add(_ value: Int) { queue.append(value) }
  func swap() -> [Int] {
    defer { queue = [] }
    return queue
  }
}

let storePairs: [Pair] = [
  Pair(1, "account created twice") { lab, mended in
    let store = Accounts()
    @Sendable func create() async {
      if mended { return await store.createIfAbsent("ada") }
      let exists = await store.exists("ada")
      think()
      if !exists { await store.create("ada") }
    }
    let one = later(0) { await create() }
    let two = later(4) { await create() }
    await one.value
    await two.value
    let created = await store.created
    try lab.require(created == 1, "created once")
  },
  Pair(2, "account deleted twice, both succeed") { lab, mended in
    let store = Accounts(["ada"])
    let successes = Count()
    @Sendable func delete() async {
      if mended {
        if await store.delete("ada") { await successes.add() }
        return
      }
      let exists = await store.exists("ada")
      think()
      guard exists else { return }
      await store.delete("ada")
      await successes.add()
    }
    let one = later(0) { await delete() }
    let two = later(4) { await delete() }
    await one.value
    await two.value
    try lab.require(successes.value == 1, "one success")
  },
  Pair(3, "lost update") { lab, mended in
    let store = Accounts(["ada"])
    @Sendable func bump() async {
      while true {
        let version = await store.version("ada")
        think()
        if !mended { return await store.write("ada", version + 1) }
        if await store.write("ada", version + 1, ifStill: version) { return }
      }
    }
    let one = later(0) { await bump() }
    let two = later(4) { await bump() }
    await one.value
    await two.value
    let version = await store.version("ada")
    try lab.require(version == 2, "no update is lost")
  },
  Pair(4, "image written after its account was deleted") { lab, mended in
    let store = Accounts(["ada"])
    let upload = later(0) {
      if mended { return await store.addImageIfThere("ada") }
      let exists = await store.exists("ada")
      think()
      if exists { await store.addImage("ada") }
    }
    let delete = later(4) { await store.delete("ada") }
    await upload.value
    await delete.value
    let orphans = await store.orphans
    try lab.require(orphans == 0, "no orphan")
  },
  Pair(8, "downloaded twice, the older image wins") { lab, mended in
    let server = ImageServer()
    let cache = ImageCache(server: server)
    @Sendable func load() async {
      _ = mended ? await cache.loadOnce("cover") : await cache.load("cover")
    }
    let one = later(0) { await load() }
    let two = later(7) { await load() }
    await one.value
    await two.value
    let cached = await cache.cached("cover")
    let downloads = await server.downloads
    try lab.require(cached == downloads, "the newest image is kept")
  },
  Pair(9, "token refresh stampede") { lab, mended in
    let sessions = Sessions(server: TokenServer())
    @Sendable func call() async {
      if mended { await sessions.callJoined() } else { await sessions.call() }
    }
    let one = later(0) { await call() }
    let two = later(5) { await call() }
    await one.value
    await two.value
    let isSignedOut = await sessions.isSignedOut
    try lab.require(!isSignedOut, "stays signed in")
  },
  Pair(32, "maximum read before the queue is swapped") { lab, mended in
    let batches = Batches()
    let add = later(5) { await batches.add(9) }
    let batch: [Int]
    let maximum: Int
    if mended {
      batch = await batches.swap()
      maximum = batch.max() ?? 0
    } else {
      maximum = await batches.maximum()
      think()
      batch = await batches.swap()
    }
    await add.value
    try lab.require(maximum == batch.max() ?? 0, "the maximum is the batch's")
  },
]

/// Counts on the main actor.
@MainActor final class Count {
  private(set) var value = 0
  func add() { value += 1 }
}
