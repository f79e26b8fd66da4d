// Runs that take each other's place, and runs that are shared.

import Millrace

@MainActor
func replaceAndJoinCases(_ bench: Bench) -> [Case] {
  let scope = bench.scope
  let latch = Latch()
  let quiet = SharedLatch()
  return [
    Case(
      name: "replace, in a burst", unit: "operation",
      twin: "cancel the task before, start a new one, an identity guard", bar: .ratio(1.15),
      count: 10_000, growth: Case.counts(to: 100_000)
    ) { region, count in
      var heard = 0
      region.open()
      for _ in 0..<count {
        scope.perform("search") {
          await one()
        } then: { _ in
          heard += 1
          latch.arrive()
        }
      }
      await latch.wait(for: 1)
      region.close()
      precondition(heard == 1)
    } hand: { region, count in
      let owner = HandOwner()
      var heard = 0
      region.open()
      for _ in 0..<count {
        owner.replace {
          await one()
        } then: { _ in
          heard += 1
          latch.arrive()
        }
      }
      await latch.wait(for: 1)
      region.close()
      precondition(heard == 1)
    },
    Case(
      name: "replace, each while it runs", unit: "operation",
      twin: "cancel the task before, start a new one, an identity guard", bar: .ratio(1.15),
      count: 2000
    ) { region, count in
      region.open()
      for _ in 0..<count {
        scope.perform("search") {
          await waitForCancellation()
          quiet.arrive()
        }
        await Task.yield()
      }
      scope.cancel("search")
      await quiet.wait(for: count)
      region.close()
    } hand: { region, count in
      let owner = HandOwner()
      region.open()
      for _ in 0..<count {
        owner.replace {
          await waitForCancellation()
          quiet.arrive()
          return 1
        } then: { _ in
        }
        await Task.yield()
      }
      owner.cancelAll()
      await quiet.wait(for: count)
      region.close()
    },
    Case(
      name: "join, 100 ask for one", unit: "caller",
      twin: "one task in flight and a table of who waits", bar: .ratio(1.15), count: 10_000
    ) { region, count in
      let key = JoinKey<Int>("refresh")
      var sum = 0
      region.open()
      for _ in 0..<max(1, count / 100) {
        for _ in 0..<100 {
          scope.perform(key) {
            await one()
          } then: {
            if case .success(let value) = $0 { sum += value }
            latch.arrive()
          }
        }
        await latch.wait(for: 100)
      }
      region.close()
      precondition(sum == max(1, count / 100) * 100)
    } hand: { region, count in
      let owner = HandOwner()
      var sum = 0
      region.open()
      for _ in 0..<max(1, count / 100) {
        for _ in 0..<100 {
          owner.join {
            await one()
          } then: {
            sum += $0
            latch.arrive()
          }
        }
        await latch.wait(for: 100)
      }
      region.close()
      precondition(sum == max(1, count / 100) * 100)
    },
  ]
}
