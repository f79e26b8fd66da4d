// A child whose outputs come from an existing `AsyncSequence`: a bridge for code that has streams
// and no flows.

/// What a stream child tells.
public enum StreamOutput<Element: Sendable>: Sendable {
  /// The stream gave this.
  case element(Element)
  /// The stream came to its end; the last output.
  case end
}

extension StreamOutput: Equatable where Element: Equatable {}

/// A flow that reads a stream for its owner.
@MainActor
public final class StreamFlow<Element: Sendable>: Flow {
  /// What it tells.
  public typealias Output = StreamOutput<Element>
  /// Its scope.
  public let scope: FlowScope<Output>
  private let read: @MainActor (StreamFlow) async throws -> Void

  init(
    scope: FlowScope<Output>, read: @escaping @MainActor (StreamFlow) async throws -> Void
  ) {
    self.scope = scope
    self.read = read
  }

  /// Begins to read. An error of the stream ends the flow as failed.
  public func start() {
    scope.task("stream") { [self] in
      try await read(self)
      if scope.isCurrent { scope.finish(.end) }
    }
  }
}

extension FlowScope {
  /// Starts a child whose outputs are the elements of a stream. It ends with the stream, or with
  /// this flow, and reads nothing after that.
  @discardableResult
  public func start<Element: Sendable>(
    reading stream: AsyncStream<Element>, buffer: Int = 64,
    onOutput: (@MainActor (StreamOutput<Element>) -> Void)? = nil,
    onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<StreamOutput<Element>>) -> Void)? = nil
  ) -> Child<StreamFlow<Element>> {
    start(
      StreamFlow<Element>.self, buffer: buffer,
      { scope in
        StreamFlow(scope: scope) { flow in
          for await element in stream where flow.scope.isCurrent {
            flow.scope.emit(.element(element))
          }
        }
      }, onOutput: onOutput, onOverflow: onOverflow, onEnding: onEnding)
  }
}
