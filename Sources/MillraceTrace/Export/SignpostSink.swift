// The trace in Instruments, on Apple's platforms: flows and operations as intervals, the rest as
// events. Not built elsewhere.

#if canImport(os)
  import Millrace
  import os

  /// A sink that sends the trace to Instruments.
  @MainActor
  public final class SignpostSink: TraceSink {
    private let signposter: OSSignposter
    /// Key: number of a live flow. Value: its interval.
    private var flows: [FlowID: OSSignpostIntervalState] = [:]
    /// Key: number of an operation whose task has not finished. Value: its interval.
    private var operations: [OperationID: OSSignpostIntervalState] = [:]

    /// Makes a sink for this subsystem, for example the app's bundle identifier.
    public init(subsystem: String) {
      signposter = OSSignposter(subsystem: subsystem, category: "Millrace")
    }

    /// Sends one event, if somebody records.
    public func record(_ event: TraceEvent) {
      guard signposter.isEnabled else { return }
      switch event {
      case .flowStarted(let id, let name, _, _):
        flows[id] = signposter.beginInterval(
          "flow", id: signposter.makeSignpostID(), "\(name) \(id.rawValue)")
      case .flowEnded(let id, _, let kind):
        guard let state = flows.removeValue(forKey: id) else { return }
        signposter.endInterval("flow", state, "\(kind.rawValue)")
      case .operationStarted(let id, let name, _):
        operations[id] = signposter.beginInterval(
          "operation", id: signposter.makeSignpostID(), "\(name) \(id.rawValue)")
      case .operationEnded(let id, let name, .cancelled(let cause)):
        signposter.emitEvent("cancelled", "\(name) \(id.rawValue) \(cause.rawValue)")
      case .operationQuiet(let id, _):
        guard let state = operations.removeValue(forKey: id) else { return }
        signposter.endInterval("operation", state)
      case .refused(let kind, let name, _, _):
        signposter.emitEvent("refused", "\(name) \(kind.description)")
      default: break
      }
    }
  }
#endif
