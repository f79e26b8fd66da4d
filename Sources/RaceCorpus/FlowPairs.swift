// Faults of screens and machines: something is stopped, replaced or dismissed in mid-await.

import RaceLab

@MainActor private final class Machine {
  enum State { case off, heating, ready }
  private(set) var state = State.off
  private(set) var forbidden = false
  private var generation = 0

  func start(mended: Bool) async {
    state = .heating
    generation += 1
    let mine = generation
    await Task.detached { think() }.value
    if mended, generation != mine { return }
    if state == .off { forbidden = true }
    state = .ready
  }

  func stop() {
    state = .off
    generation += 1
  }
}

@MainActor private final class Node {
  private(set) var term = 0
  private(set) var votes = 0
  private(set) var wrongVotes = 0

  func startElection() {
    term += 1
    votes = 1
  }

  func count(voteOf term: Int, mended: Bool) {
    if mended, term != self.term { return }
    if term != self.term { wrongVotes += 1 }
    votes += 1
  }
}

@MainActor private final class Screen {
  var isDismissed = false
  private(set) var writesAfterDismissal = 0
  private(set) var shown = ""
  private(set) var effectsLeft = 0
  var load: Task<Void, Never>?
  var effect: Task<Void, Never>?
  var latest = 0

  func show(_ text: String) {
    if isDismissed { writesAfterDismissal += 1 }
    shown = text
  }

  func dismiss() {
    isDismissed = true
    load?.cancel()
    effect?.cancel()
  }

  func startEffect() {
    effectsLeft += 1
    effect = Task {
      while !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
      effectsLeft -= 1
    }
  }
}

@MainActor private final class Effects {
  var tasks: [Int: Task<Void, Never>] = [:]
  var done: [Int] = []
  var selection = 1

  func cancel(_ id: Int) { tasks.removeValue(forKey: id)?.cancel() }
}

@MainActor private final class Worker {
  private(set) var isStopped = false
  private(set) var lateWrites = 0
  private var task: Task<Void, Never>?

  func start() {
    task = Task {
      for _ in 0..<3 {
        await Task.detached { think() }.value
        if Task.isCancelled, !isStopped { return }
        if isStopped { lateWrites += 1 }
      }
    }
  }

  func stop(mended: Bool) async {
    task?.cancel()
    if mended { await task?.value }
    isStopped = true
  }
}

@Sendable private func answer(_ text: String) async -> String {
  await Task.yield()
  return text
}

let flowPairs: [Pair] = [
  Pair(6, "machine stopped during heat-up") { lab, mended in
    let machine = Machine()
    lab.adversary("stop") { machine.stop() }
    await machine.start(mended: mended)
    await lab.settle()
    try lab.require(machine.state == .off, "stopped stays off")
  },
  Pair(7, "vote of an old term is counted") { lab, mended in
    let node = Node()
    node.startElection()
    let term = node.term
    let vote = later(1) { await node.count(voteOf: term, mended: mended) }
    let timeout = later(3) { await node.startElection() }
    await vote.value
    await timeout.value
    try lab.require(node.wrongVotes == 0, "only votes of this term")
  },
  Pair(10, "slower first answer overwrites the second") { lab, mended in
    let screen = Screen()
    @MainActor func search(_ text: String) -> Task<Void, Never> {
      screen.latest += 1
      let mine = screen.latest
      return Task {
        let result = await answer(text)
        if mended, mine != screen.latest { return }
        screen.show(result)
      }
    }
    let one = search("s")
    let two = search("sw")
    await one.value
    await two.value
    try lab.require(screen.shown == "sw", "the last query's answer")
  },
  Pair(11, "dismissal between a result and its effect") { lab, mended in
    let screen = Screen()
    lab.adversary("dismiss") { screen.dismiss() }
    screen.load = Task {
      let result = await answer("loaded")
      if Task.isCancelled { return }
      let prepared = await answer(result)
      if mended, screen.isDismissed { return }
      screen.show(mended ? prepared : "")
      screen.startEffect()
    }
    await screen.load?.value
    await lab.settle()
    try await Task.sleep(for: .seconds(10))
    try lab.require(screen.effectsLeft == 0, "no effect lives on")
  },
  Pair(12, "cancelled before the effect has registered") { lab, mended in
    let effects = Effects()
    let go = lab.gate("go")
    let task = Task {
      if !mended { await Task.yield() }
      try? await go.wait()
      if !Task.isCancelled { effects.done.append(1) }
    }
    if mended {
      effects.tasks[1] = task
    } else {
      Task {
        await Task.detached { think() }.value
        effects.tasks[1] = task
      }
    }
    let cancel = later(3) {
      await effects.cancel(1)
      go.open()
    }
    await cancel.value
    await task.value
    try lab.require(effects.done.isEmpty, "cancelled before it was done")
  },
  Pair(13, "cancelled by another id than the registered one") { lab, mended in
    let effects = Effects()
    let go = lab.gate("go")
    let id = effects.selection
    let task = Task {
      try? await go.wait()
      if !Task.isCancelled { effects.done.append(1) }
    }
    Task {
      await Task.detached { think() }.value
      effects.tasks[mended ? id : effects.selection] = task
      await Task.detached { think() }.value
      effects.cancel(id)
      go.open()
    }
    let select = later(6) { @MainActor in effects.selection = 2 }
    await select.value
    await task.value
    try lab.require(effects.done.isEmpty, "cancelled by its id")
  },
  Pair(23, "result written to a dismissed screen") { lab, mended in
    let screen = Screen()
    lab.adversary("dismiss") { screen.dismiss() }
    let load = Task.detached {
      let result = await answer("loaded")
      await MainActor.run {
        if mended, screen.isDismissed { return }
        screen.show(result)
      }
    }
    await load.value
    await lab.settle()
    try lab.require(screen.writesAfterDismissal == 0, "a dead screen is not written")
  },
  Pair(29, "stopped while starting") { lab, mended in
    let machine = Machine()
    lab.adversary("stop") { machine.stop() }
    await machine.start(mended: mended)
    await lab.settle()
    try lab.require(!machine.forbidden, "no forbidden transition")
  },
  Pair(30, "worker outlives its owner") { lab, mended in
    let worker = Worker()
    worker.start()
    let stop = later(16) { await worker.stop(mended: mended) }
    await stop.value
    await lab.settle()
    try lab.require(worker.lateWrites == 0, "nothing is written after the stop")
  },
]
