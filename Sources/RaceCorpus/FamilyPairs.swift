// Faults that grow with a number: few of many orders show them.

import RaceLab

private actor Cell {
  private(set) var a = 0
  private(set) var b = 0
  func setA(_ value: Int) { a = value }
  func setB(_ value: Int) { b = value }
  var both: (Int, Int) { (a, b) }
  func set(_ value: Int) {
    a = value
    b = -value
  }
}

@MainActor private final class Progress {
  private(set) var steps = 0
  private(set) var seen = -1

  func run() async {
    for _ in 0..<25 {
      steps += 1
      await Task.yield()
    }
  }

  func look() { seen = steps }
}

let familyPairs: [Pair] = [
  // One of ten writers has to stand between its two messages when the checker looks.
  Pair(34, "reorder, ten writers") { lab, mended in
    let cell = Cell()
    let writers = (0..<10).map { _ in
      later(0) {
        if mended { return await cell.set(1) }
        await cell.setA(1)
        think()
        await cell.setB(-1)
      }
    }
    let checker = later(6) {
      let (a, b) = await cell.both
      if a + b != 0 { await MainActor.run { lab.fail("a half-written pair is seen") } }
    }
    for writer in writers { await writer.value }
    await checker.value
  },
  // The short task has to come last of all.
  Pair(35, "one step after twenty-five of another") { lab, mended in
    let progress = Progress()
    let long = later(0) { await progress.run() }
    let short = later(0) { await progress.look() }
    await long.value
    await short.value
    try lab.require(mended || progress.seen < 25, "the short one is not last")
  },
]
