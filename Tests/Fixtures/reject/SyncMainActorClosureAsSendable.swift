// A callback that the system makes on a queue of its own would run main-actor code there, and trap.

import Millrace

func onBackgroundQueue(_ callback: @escaping @Sendable (Int) -> Void) {}

@MainActor
final class Scanner: Flow {
  typealias Output = Int
  let scope: FlowScope<Int>
  init(scope: FlowScope<Int>) { self.scope = scope }

  func receive(_ code: Int) { scope.finish(code) }

  func start() {
    // expect: loses global actor 'MainActor'
    onBackgroundQueue(receive)
    // expect: call to main actor-isolated instance method 'receive' in a synchronous nonisolated
    onBackgroundQueue { [self] code in receive(code) }
  }
}
