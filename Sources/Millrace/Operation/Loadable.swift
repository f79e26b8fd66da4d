// The state of a load, for view models. A cancelled load goes back to what it was (R16).

/// What a view shows of something that is loaded.
public enum Loadable<Value: Sendable>: Sendable {
  /// Nothing was asked for yet.
  case idle
  /// A load runs; what was there before stays at hand.
  indirect case loading(previous: Loadable)
  /// The newest value.
  case loaded(Value)
  /// The newest load failed. A cancelled one never shows here.
  case failed(any Error)

  /// The loaded value, also while a newer one loads.
  public var value: Value? {
    switch self {
    case .loaded(let value): value
    case .loading(let previous): previous.value
    case .idle, .failed: nil
    }
  }

  /// The error of the newest load, if it failed and none runs.
  public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }

  /// True while a load runs.
  public var isLoading: Bool { if case .loading = self { true } else { false } }

  /// What was there before the load that runs now.
  var settled: Loadable {
    var state = self
    while case .loading(let previous) = state { state = previous }
    return state
  }
}

extension Loadable: Equatable where Value: Equatable {
  /// Equal states with equal values; failures are equal if they print the same.
  public static func == (a: Loadable, b: Loadable) -> Bool {
    switch (a, b) {
    case (.idle, .idle): true
    case (.loading(let a), .loading(let b)): a == b
    case (.loaded(let a), .loaded(let b)): a == b
    case (.failed(let a), .failed(let b)): String(reflecting: a) == String(reflecting: b)
    default: false
    }
  }
}

extension FlowScope {
  /// Loads into a property of the flow: `loading` now, then `loaded` or `failed`; if the load is
  /// cancelled, back to what it was. A newer load of the same key takes over.
  ///
  /// ```swift
  /// scope.load("books", into: \.books, of: self) { [library] in try await library.books() }
  /// ```
  @discardableResult
  public func load<Target: AnyObject, Value: Sendable>(
    _ key: String, into state: ReferenceWritableKeyPath<Target, Loadable<Value>>,
    of target: Target, limit: Duration? = nil, lifetime: OperationLifetime = .flow,
    _ body: @escaping @concurrent @Sendable () async throws -> Value
  ) -> Operation<Value> {
    guard isCurrent else { return perform(key, .latest, body) }
    let place = LoadPlace(target: ObjectIdentifier(target), path: state)
    let loads = node.own()
    let previous = target[keyPath: state].settled
    // From here on an older load has nothing to say of the state.
    let mark = LoadMark()
    loads.loads[place] = mark
    let run = perform(
      Operation.self, key, .latest, limit: limit, lifetime: lifetime, body
    ) { result in
      loads.loads[place] = nil
      switch result {
      case .success(let value): target[keyPath: state] = .loaded(value)
      case .failure(let error): target[keyPath: state] = .failed(error)
      }
    } onCancel: { _ in
      // Only the load that has the state gives it back.
      guard loads.loads[place] === mark else { return }
      loads.loads[place] = nil
      target[keyPath: state] = target[keyPath: state].settled
    } again: { [self] in
      load(key, into: state, of: target, limit: limit, lifetime: lifetime, body)
    }
    if run.isCurrent {
      target[keyPath: state] = .loading(previous: previous)
    } else {
      // Covered: nothing loads yet.
      loads.loads[place] = nil
      target[keyPath: state] = previous
    }
    return run
  }
}

/// Stands for one load, as long as its state is the one shown.
final class LoadMark: Sendable {}

/// A property that is loaded into.
struct LoadPlace: Hashable {
  let target: ObjectIdentifier
  let path: AnyKeyPath
}
