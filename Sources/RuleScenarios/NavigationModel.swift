// What a window shows, written anew from the rules as a plain list: flows in the order in which they
// came, each with its owner and its place. Imports values only, and shares nothing with the runtime.

import struct Millrace.FlowID
import struct Millrace.Navigation
import enum Millrace.Presentation

/// The rules R24 and R25 as operations on a list.
struct NavigationModel {
  private struct Entry {
    let id: FlowID
    let owner: FlowID?
    let presentation: Presentation
    /// Which stack it stands in.
    var stack: Int
    /// Whether the host was ever asked for it.
    var wasAskedFor = false
  }

  /// All live flows; those of one stack stand in its order.
  private var entries: [Entry] = []
  /// The layers, the lowest first, by the number of their stack.
  private var layers: [Int] = []
  /// Key: a flow with tabs. Value: the stacks of its tabs, in order, and which is selected.
  private var tabs: [FlowID: (stacks: [Int], selected: Int)] = [:]
  /// Key: a flow that is to take another's place if the user says so. Value: the one, and its owner.
  private(set) var provisional: [FlowID: (old: FlowID, owner: FlowID?)] = [:]
  /// Key: a flow that was on the host and has been replaced. Value: by which one.
  private var successors: [FlowID: FlowID] = [:]
  private var lastStack = 0

  var flows: [FlowID] { entries.map(\.id) }
  func contains(_ id: FlowID) -> Bool { entries.contains { $0.id == id } }
  func presentation(of id: FlowID) -> Presentation? { entry(id)?.presentation }
  func owner(of id: FlowID) -> FlowID? { entry(id)?.owner }
  private func entry(_ id: FlowID) -> Entry? { entries.first { $0.id == id } }

  mutating func asked(for id: FlowID) {
    for index in entries.indices where entries[index].id == id { entries[index].wasAskedFor = true }
  }

  /// The host was asked to take this flow away: if it was replaced its place is free for the new one,
  /// which has it from now on.
  mutating func askedToTakeAway(_ id: FlowID) {
    if let new = successors[id] { asked(for: new) }
  }

  // MARK: - Coming

  mutating func start(_ id: FlowID, owner: FlowID?, _ presentation: Presentation) {
    switch presentation {
    case .push:
      guard let owner, let home = entry(owner) else { return }
      var stack = home.stack
      if home.presentation.isQuestion, let index = layers.firstIndex(of: stack) {
        stack = layers[..<index].last { !isQuestion($0) } ?? stack
      }
      add(id, owner, presentation, stack)
    case .tab:
      guard let owner else { return }
      let stack = newStack()
      add(id, owner, presentation, stack)
      if tabs[owner] == nil {
        tabs[owner] = ([stack], stack)
      } else {
        tabs[owner]?.stacks.append(stack)
      }
    default:
      let stack = newStack()
      add(id, owner, presentation, stack)
      layers.append(stack)
    }
  }

  private mutating func newStack() -> Int {
    lastStack += 1
    return lastStack
  }

  private mutating func add(
    _ id: FlowID, _ owner: FlowID?, _ presentation: Presentation, _ stack: Int
  ) {
    entries.append(Entry(id: id, owner: owner, presentation: presentation, stack: stack))
  }

  private func isQuestion(_ stack: Int) -> Bool {
    entries.first { $0.stack == stack }?.presentation.isQuestion ?? false
  }

  // MARK: - Leaving

  /// The flow ends, with all below it and all that was pushed above those. If the host reported that
  /// it is gone, modals over it that the host had go too.
  mutating func end(_ id: FlowID, reported: Bool = false) {
    guard contains(id) else {
      provisional[id] = nil
      return
    }
    let gone = leaving(with: id, reported)
    remove(gone)
  }

  private func leaving(with id: FlowID, _ reported: Bool) -> Set<FlowID> {
    var gone: Set<FlowID> = [id]
    var layersGone: Set<Int> = []
    if reported, let entry = entry(id), isBottom(entry) { layersGone.insert(entry.stack) }
    while true {
      let before = gone.count
      for entry in entries where !gone.contains(entry.id) {
        let isOwned = entry.owner.map(gone.contains) ?? false
        let below = entries.prefix { $0.id != entry.id }.filter { $0.stack == entry.stack }
        let stoodAbove = below.contains { gone.contains($0.id) }
        var wentWithLayer = false
        if isBottom(entry), let index = layers.firstIndex(of: entry.stack), index > 0 {
          wentWithLayer = layersGone.contains(layers[index - 1]) && entry.wasAskedFor
        }
        guard isOwned || stoodAbove || wentWithLayer else { continue }
        gone.insert(entry.id)
        if wentWithLayer { layersGone.insert(entry.stack) }
      }
      if gone.count == before { return gone }
    }
  }

  private func isBottom(_ entry: Entry) -> Bool {
    entries.first { $0.stack == entry.stack }?.id == entry.id
  }

  private mutating func remove(_ gone: Set<FlowID>, keeping kept: Int? = nil) {
    entries.removeAll { gone.contains($0.id) }
    let left = Set(entries.map(\.stack)).union(kept.map { [$0] } ?? [])
    layers.removeAll { !left.contains($0) }
    for (container, value) in tabs {
      guard contains(container) else {
        tabs[container] = nil
        continue
      }
      let position = value.stacks.firstIndex(of: value.selected) ?? 0
      let stacks = value.stacks.filter(left.contains)
      let selected =
        stacks.contains(value.selected)
        ? value.selected : stacks.isEmpty ? 0 : stacks[min(position, stacks.count - 1)]
      tabs[container] = stacks.isEmpty ? nil : (stacks, selected)
    }
    for (id, place) in provisional where gone.contains(place.old) { provisional[id] = nil }
  }

  // MARK: - Replacing

  /// The new flow stands where the old one stood. `hostHasOld` is false if the old one was never
  /// asked for: then the new one comes as any other does.
  mutating func replace(_ old: FlowID, by id: FlowID, owner: FlowID?) {
    guard let place = entry(old) else { return }
    let stack = place.stack
    guard place.wasAskedFor else {
      end(old)
      return start(id, owner: owner, place.presentation)
    }
    let gone = leaving(with: old, false)
    remove(gone, keeping: stack)
    add(id, owner, place.presentation, stack)
    successors[old] = id
  }

  mutating func challenge(_ old: FlowID, by id: FlowID, owner: FlowID?) {
    for (other, place) in provisional where place.old == old { provisional[other] = nil }
    provisional[id] = (old, owner)
  }

  mutating func commit(_ id: FlowID) {
    guard let place = provisional.removeValue(forKey: id) else { return }
    replace(place.old, by: id, owner: place.owner)
    asked(for: id)
  }

  mutating func abandon(_ id: FlowID) { provisional[id] = nil }

  // MARK: - Commands

  mutating func select(_ id: FlowID) {
    guard let entry = entry(id), isBottom(entry), let owner = entry.owner else { return }
    if tabs[owner]?.stacks.contains(entry.stack) ?? false { tabs[owner]?.selected = entry.stack }
  }

  mutating func pop(to id: FlowID) {
    guard let entry = entry(id), let above = above(entry) else { return }
    end(above.id)
  }

  mutating func popToRoot(of id: FlowID) {
    guard let entry = entry(id), let bottom = entries.first(where: { $0.stack == entry.stack })
    else { return }
    pop(to: bottom.id)
  }

  private func above(_ entry: Entry) -> Entry? {
    let stack = entries.filter { $0.stack == entry.stack }
    guard let index = stack.firstIndex(where: { $0.id == entry.id }) else { return nil }
    return stack.dropFirst(index + 1).first
  }

  // MARK: - Reading

  var navigation: Navigation {
    Navigation(
      layers.compactMap { layer in
        guard let first = entries.first(where: { $0.stack == layer }) else { return nil }
        return Navigation.Layer(first.presentation, value(of: layer))
      })
  }

  private func value(of stack: Int) -> Navigation.Stack {
    Navigation.Stack(
      entries.filter { $0.stack == stack }.map { entry in
        guard let tabs = tabs[entry.id] else { return Navigation.Screen(entry.id) }
        let selected = entries.first { $0.stack == tabs.selected }?.id
        return Navigation.Screen(
          entry.id, tabs: tabs.stacks.map(value(of:)), selectedTab: selected)
      })
  }
}
