// A first-in first-out queue in one array: popping moves a head index, and the array is emptied
// when the head reaches its end or half of a long one.

struct Fifo<Element> {
  private var items: [Element?] = []
  private var head = 0

  var count: Int { items.count - head }
  var isEmpty: Bool { head == items.count }

  mutating func append(_ element: Element) { items.append(element) }

  mutating func popFirst() -> Element? {
    guard head < items.count else { return nil }
    let element = items[head]
    items[head] = nil
    head += 1
    if head == items.count {
      items.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head >= 1024, head * 2 >= items.count {
      items.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Empties the queue and gives its memory back.
  mutating func removeAll() {
    items = []
    head = 0
  }

  /// Takes out, in order, the elements for which the test holds.
  mutating func extract(where test: (Element) -> Bool) -> [Element] {
    let all = items[head...].compactMap { $0 }
    items = all.filter { !test($0) }
    head = 0
    return all.filter(test)
  }
}
