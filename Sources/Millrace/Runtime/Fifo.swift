// A first-in first-out queue in one array: popping moves a head index, appending a tail index, and
// both go back to the beginning when the queue is empty.

struct Fifo<Element> {
  /// What waits is in `head..<tail`; the other places are empty.
  private var items: [Element?] = []
  private var head = 0
  private var tail = 0

  var count: Int { tail - head }
  var isEmpty: Bool { head == tail }

  mutating func append(_ element: Element) {
    if tail < items.count { items[tail] = element } else { items.append(element) }
    tail += 1
  }

  mutating func popFirst() -> Element? {
    guard head < tail else { return nil }
    let element = items[head].take()
    head += 1
    if head == tail {
      if tail > 64 { items = [] }
      head = 0
      tail = 0
    } else if head >= 1024, head * 2 >= tail {
      items.removeFirst(head)
      tail -= head
      head = 0
    }
    return element
  }

  /// Empties the queue and gives its memory back.
  mutating func removeAll() { self = Fifo() }

  /// Takes out, in order, the elements for which the test holds.
  mutating func extract(where test: (Element) -> Bool) -> [Element] {
    let all = items[head..<tail].compactMap { $0 }
    items = all.filter { !test($0) }
    head = 0
    tail = items.count
    return all.filter(test)
  }
}
