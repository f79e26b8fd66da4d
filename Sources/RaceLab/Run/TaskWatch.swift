// The tasks of a run by address, to tell where they are suspended and what they wait for. Kept only
// where a report needs it.

import RaceLabHooks

/// What a suspended task waits for.
struct Wait: Hashable, Sendable {
  /// Number of the task.
  let task: Int
  let reason: Reason
  /// The address in the user's code at which it would go on; 0 if that is not known.
  let place: UInt

  enum Reason: Hashable, Sendable {
    /// A task, by number; -1 for one that the run does not know.
    case task(Int)
    /// A continuation that somebody has to resume.
    case continuation
    /// The tasks of a group.
    case group
    /// Something of the lab: a gate, its clock, the run's end.
    case lab
    /// Something else.
    case unknown
  }
}

/// Holds tasks until they have ended.
struct TaskWatch {
  /// Address by number; 0 where the task has ended or was never seen.
  private var addresses: [UInt] = []

  /// Whether the platform lets it look.
  static let isPossible = racelab_can_look()

  /// The name that a task was given.
  func name(of number: Int) -> String? {
    guard let address = address(of: number) else { return nil }
    return unsafe racelab_task_name(address).map { unsafe String(cString: $0) }
  }

  /// Takes in a job that is a task.
  mutating func see(_ job: UnownedJob, number: Int) {
    while addresses.count <= number { addresses.append(0) }
    guard addresses[number] == 0 else { return }
    let address = unsafe unsafeBitCast(job, to: UInt.self)
    racelab_retain(address)
    addresses[number] = address
  }

  /// Lets a task go if it has ended.
  mutating func look(at number: Int) {
    guard let address = address(of: number), racelab_has_ended(address) else { return }
    addresses[number] = 0
    racelab_release(address)
  }

  /// The address of a task that has not ended, as far as was seen.
  func address(of number: Int) -> UInt? {
    guard addresses.indices.contains(number), addresses[number] != 0 else { return nil }
    return addresses[number]
  }

  /// The number of a task that has not ended.
  func number(of address: UInt) -> Int? { addresses.firstIndex(of: address) }

  /// What all who have not ended wait for.
  mutating func waits() -> [Wait] {
    for number in addresses.indices { look(at: number) }
    return addresses.indices.compactMap { number in
      guard let address = address(of: number) else { return nil }
      let (place, isInLab) = Code.place(ofTask: address)
      return Wait(task: number, reason: isInLab ? .lab : reason(of: address), place: place)
    }
  }

  /// What a suspended task waits for, as the runtime sees it.
  func reason(of address: UInt) -> Wait.Reason {
    let wait = racelab_waits_for(address)
    return switch wait.kind {
    case 1: .task(addresses.firstIndex(of: wait.on) ?? -1)
    case 2: .continuation
    case 3: .group
    default: .unknown
    }
  }

  /// Lets all go.
  mutating func removeAll() {
    for address in addresses where address != 0 { racelab_release(address) }
    addresses.removeAll(keepingCapacity: true)
  }
}
