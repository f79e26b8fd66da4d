// The lanes of one owner, by key. Most owners have few keys: those are looked through, and lanes
// that are idle are used again.

@MainActor
final class LaneTable {
  private static let few = 8
  /// The one that was used last: asked first.
  private var latest: Lane?
  private var lanes: [Lane] = []
  /// Key: the operation key. Value: its lane. Used when there are more than a few.
  private var index: [String: Lane] = [:]

  func find(_ key: String) -> Lane? {
    index.isEmpty ? lanes.first { $0.key == key } : index[key]
  }

  @inline(__always)
  func lane(_ key: String, owner: Owner) -> Lane {
    if let latest, latest.key == key { return latest }
    return look(key, owner)
  }

  private func look(_ key: String, _ owner: Owner) -> Lane {
    let lane = find(key) ?? add(Lane(key: key, owner: owner))
    latest = lane
    return lane
  }

  func close() {
    for lane in lanes { lane.close() }
  }

  private func add(_ lane: Lane) -> Lane {
    // Idle ones go each time the number has doubled: in the long run one look at each.
    if lanes.count >= Self.few, lanes.count.nonzeroBitCount == 1 { dropIdle() }
    lanes.append(lane)
    if !index.isEmpty {
      index[lane.key] = lane
    } else if lanes.count > Self.few {
      makeIndex()
    }
    return lane
  }

  private func dropIdle() {
    latest = nil
    lanes.removeAll { $0.isIdle }
    index = [:]
    if lanes.count > Self.few { makeIndex() }
  }

  private func makeIndex() {
    for lane in lanes { index[lane.key] = lane }
  }
}

extension Owner {
  final func lane(_ key: String) -> Lane {
    if let lanes { return lanes.lane(key, owner: self) }
    let table = LaneTable()
    lanes = table
    return table.lane(key, owner: self)
  }
}
