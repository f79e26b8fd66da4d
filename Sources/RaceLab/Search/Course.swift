// The course of a run without what is only an accident of the order: what each actor and each task
// saw, and nothing about who of two was first where they had nothing to do with each other.

/// Two runs with equal courses cannot be told apart by code that keeps its state in actors.
package struct Course: Hashable, Sendable {
  /// For the main actor the steps in their order.
  let main: UInt64
  /// For the other actors together.
  let actors: UInt64
  /// For each task the places at which it ran, in order; all tasks together.
  let tasks: UInt64

  init(_ trace: Trace) {
    let names = Self.names(trace.parents)
    func name(_ task: Int) -> UInt64 { task < 0 ? 7 : names[task] }
    var main = Trace.emptyHash
    var actors: [Int: UInt64] = [:]
    var tasks: [Int: UInt64] = [:]
    var counts: [Int: UInt64] = [:]
    for step in trace.steps {
      let count = counts[step.task, default: 0] + 1
      counts[step.task] = count
      let what = name(step.task) &* 31 &+ count
      let kind: UInt64 =
        switch step.place {
        case .main: 1
        case .pool: 2
        case .actor: 3
        }
      tasks[step.task] = Trace.mixed(tasks[step.task] ?? name(step.task), kind)
      switch step.place {
      case .main: main = Trace.mixed(main, what)
      case .pool: break
      case .actor(let actor):
        actors[actor] = Trace.mixed(actors[actor] ?? Trace.emptyHash, what)
      }
    }
    self.main = main
    self.actors = actors.values.reduce(0, &+)
    self.tasks = tasks.values.reduce(0, &+)
  }

  /// A name for each task that says who created it and as which of how many: the numbers of tasks
  /// depend on the order in which they were created.
  private static func names(_ parents: [Int]) -> [UInt64] {
    var names: [UInt64] = []
    var children: [Int: UInt64] = [:]
    for parent in parents {
      let count = children[parent, default: 0] + 1
      children[parent] = count
      let above = names.indices.contains(parent) ? names[parent] : Trace.emptyHash
      names.append(Trace.mixed(above, count))
    }
    return names
  }
}
