// What a step had to do with, as far as isolation goes: where it ran, whom it resumed, created,
// cancelled or waits for, what it sent to. Two steps whose footprints do not meet can change places,
// and nobody sees a difference.

/// The footprint of one step. Objects are numbered in the order in which a run first meets them:
/// 0 is the main actor, 1 the lab itself, others are actors, gates, clocks and streams.
struct Footprint {
  /// Objects whose state it may have read or changed.
  var uses: [Int] = []
  /// Actors to whose line it added a job: two who add come in one order or the other.
  var addsTo: [Int] = []
  /// Numbers of tasks that are its own, or that it made ready, created, cancelled or waits for.
  var tasks: [Int] = []
  /// It waits for a continuation, perhaps a stream's.
  var waitsForAnyone = false
  /// It sent to a stream or finished one.
  var sends = false
  /// It may have to do with anything: it made a choice, or did something that is not seen in detail.
  var isOpen = false

  static let main = 0
  static let lab = 1
}

/// A job that need not be run at a point of a search, since all that can come of running it there has
/// been or will be tried in another branch. It sleeps until a step is made that it does not commute
/// with (Godefroid, 1996).
struct Sleeper {
  /// Number of the job in the run.
  let order: Int
  /// What its step does if it is run there.
  let footprint: Footprint
  /// Objects and tasks that the run had met at that point. What it met later has other numbers in
  /// other branches.
  let known: (objects: Int, tasks: Int)

  /// Whether a step with this footprint wakes it.
  func isWoken(by step: Footprint) -> Bool {
    if footprint.isOpen || step.isOpen { return true }
    if footprint.waitsForAnyone && step.sends || footprint.sends && step.waitsForAnyone {
      return true
    }
    return footprint.tasks.contains { $0 < known.tasks && step.tasks.contains($0) }
      || meets(footprint.uses, step.uses) || meets(footprint.addsTo, step.addsTo)
  }

  private func meets(_ mine: [Int], _ others: [Int]) -> Bool {
    mine.contains { object in
      object < known.objects
        ? others.contains(object) : others.contains { $0 >= known.objects }
    }
  }
}

/// Takes down the footprints of a run's steps.
struct FootprintWriter {
  private(set) var current = Footprint()
  private var objects: [UInt] = []

  /// Objects met so far.
  var objectCount: Int { objects.count + 2 }

  mutating func removeAll() {
    objects.removeAll(keepingCapacity: true)
    current = Footprint()
  }

  mutating func begin(task: Int, place: Lane) {
    current = Footprint()
    if task >= 0 { current.tasks.append(task) }
    if let object = object(place) { current.uses.append(object) }
  }

  /// Cancels a task; one that is not known may be any.
  mutating func cancel(_ task: Int?) {
    if let task { current.tasks.append(task) } else { current.isOpen = true }
  }

  mutating func add(task: Int) { current.tasks.append(task) }
  mutating func add(readyOn lane: Lane) {
    if let object = object(lane) { current.addsTo.append(object) }
  }
  mutating func use(lab: Void) { current.uses.append(Footprint.lab) }
  mutating func use(objectAt address: UInt) { current.uses.append(number(of: address)) }
  mutating func send() { current.sends = true }
  mutating func waitForAnyone() { current.waitsForAnyone = true }
  mutating func open() { current.isOpen = true }

  private mutating func object(_ lane: Lane) -> Int? {
    switch lane {
    case .main: Footprint.main
    case .pool: nil
    case .actor(let address): number(of: address)
    }
  }

  private mutating func number(of address: UInt) -> Int {
    if let known = objects.firstIndex(of: address) { return known + 2 }
    objects.append(address)
    return objects.count + 1
  }
}

extension LabRun {
  /// Says that the step at hand has to do with an object of the lab's.
  func touch(_ object: AnyObject) {
    guard keepsFootprints else { return }
    footprints.use(objectAt: UInt(bitPattern: ObjectIdentifier(object)))
  }

  /// Adds what the step that was just made waits for.
  func addWait(ofTask task: Int) {
    guard let address = watch.address(of: task) else { return }
    switch watch.reason(of: address) {
    case .task(let other): other < 0 ? footprints.open() : footprints.add(task: other)
    case .continuation: footprints.waitForAnyone()
    case .group:
      for (child, parent) in trace.parents.enumerated() where parent == task {
        footprints.add(task: child)
      }
    case .lab, .unknown: break
    }
  }
}
