// The answers of the checks of one saved place, as they come: one that never comes holds none of the
// others up.

/// Asks about places, a few at a time, and keeps what was answered.
@MainActor
final class CheckAnswers<R: Route> {
  /// What a check said.
  enum Answer: Sendable {
    case allowed
    /// It may not be shown, or does not exist.
    case refused
    /// It threw, or has not answered.
    case failed
  }

  private var answers: [R: Answer] = [:]

  /// Asks about each of them in order, about so many at the same time. Returns when all have answered.
  @concurrent
  func ask(
    _ routes: [R], atMost most: Int,
    _ check: @escaping @concurrent @Sendable (R) async throws -> RouteAnswer
  ) async {
    await withTaskGroup(of: Void.self) { group in
      var rest = routes.makeIterator()
      func askNext() {
        guard !Task.isCancelled, let route = rest.next() else { return }
        group.addTask { [self] in
          let answer = try? await check(route)
          let found: Answer =
            answer.map { $0 == .allowed ? .allowed : .refused } ?? .failed
          await keep(found, for: route)
        }
      }
      for _ in 0..<most { askNext() }
      while await group.next() != nil { askNext() }
    }
  }

  private func keep(_ answer: Answer, for route: R) { answers[route] = answer }

  /// What is known of them now.
  func found(of routes: [R]) -> [R: Answer] {
    routes.reduce(into: [:]) { $0[$1] = answers[$1] ?? .failed }
  }
}
