// A scope for building a view model alone: in a preview, a playground or a test.

extension FlowScope {
  /// A live scope in a runtime of its own, which lasts as long as the flow that is built with it.
  ///
  /// The flow's outputs go to `onOutput`. `start()` and `willEnd` are not called. A flow that
  /// started children or work and is dropped without an end keeps its runtime.
  ///
  /// ```swift
  /// #Preview { PickerView(model: Picker(scope: .preview(), books: samples)) }
  /// ```
  public static func preview(
    onOutput: @escaping @MainActor (Output) -> Void = { _ in },
    onEnding: (@MainActor (Ending<Output>) -> Void)? = nil
  ) -> FlowScope {
    let runtime = FlowRuntime(options: RuntimeOptions(checksLeaks: false))
    let core = runtime.core
    let node = OutputNode<Output>(
      core: core, parent: nil, limit: 64, onOutput: onOutput, onOverflow: nil,
      onEnding: onEnding)
    // The tree does not hold the node: the flow does, and with it the runtime.
    node.parent = core.root
    node.own().view = runtime
    node.isStarting = false
    return FlowScope(node)
  }
}
