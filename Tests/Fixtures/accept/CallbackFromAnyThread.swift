// Callbacks that come on a queue of the system: a host's report goes in as it is, and the one answer
// of a delegate through a reply.

import Millrace

func onBackgroundQueue(_ callback: @escaping @Sendable (Int) -> Void) { callback(1) }

@MainActor
final class Scanner: Flow {
  typealias Output = Int
  let scope: FlowScope<Int>
  init(scope: FlowScope<Int>) { self.scope = scope }

  func start() {
    scope.task { [self] in
      let code: Int = try await scope.reply("scan") { reply in
        onBackgroundQueue { reply.succeed($0) }
      }
      scope.finish(code)
    }
  }
}

func report(_ id: FlowID, to window: FlowWindow) {
  onBackgroundQueue { _ in window.report(.didDismiss(id)) }
}
