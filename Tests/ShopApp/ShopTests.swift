import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import Testing

// Places, and the links to them.
enum Place: Route {
  case home, item(Int)

  var parent: Place? { self == .home ? nil : .home }

  static let links = LinkTable(
    schemes: ["shop"],
    [
      LinkPattern("/", Place.home),
      LinkPattern("/items/:id", .value("id", as: Int.self)) {
        .item($0)
      } values: { place in
        if case .item(let id) = place { id } else { nil }
      },
    ])
}

// A coordinator: its places are shown by it, on a tap and by a link.
@MainActor final class Home: RoutedFlow {
  let scope: FlowScope<Never>
  let item = Slot<Item>()
  init(scope: FlowScope<Never>) { self.scope = scope }

  var route: Place { .home }
  func showing(_ place: Place) -> ShowRoute? {
    guard case .item(let id) = place else { return nil }
    return { [self] in
      scope.start(in: item, id: id, as: .push) { Item(scope: $0, id: id) }.id
    }
  }
}

// A view model. What it buys is bought once, and goes on when the screen is left.
@MainActor final class Item: RoutedFlow {
  enum Output: Sendable { case bought }
  let scope: FlowScope<Output>
  let id: Int
  private let intent = Intent()
  private(set) var notice: String?
  init(scope: FlowScope<Output>, id: Int) { (self.scope, self.id) = (scope, id) }

  var route: Place { .item(id) }
  func buy() {
    scope.task { [self] in
      do {
        let write = Write("buy", intent: intent, body: Array("\(id)".utf8))
        _ = try await scope.write(write, until: .accepted)
        scope.finish(.bought)
      } catch WriteError.refused(.alreadyRunning) {  // a second tap
      } catch is WriteError { notice = "It could not be bought. Try again." }
    }
  }
}

// The server, as the runtime sees it: it has to know a key again.
actor Till: WriteService {
  private(set) var sold: [String: [UInt8]] = [:]

  func validate(_ write: Write, for account: Account) async throws {}
  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    sold[write.intent.key] = write.body
    return .accepted(receipt: write.body)
  }
  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    sold[write.intent.key].map { .seen(.accepted(receipt: $0)) } ?? .unseen
  }
}

// The app: a runtime, a window whose root follows the session, one entry for links.
@MainActor final class Shop {
  let runtime: FlowRuntime
  let window: FlowWindow
  let router: LinkRouter<Place>

  init(till: Till, host: any Host, clock: some Clock<Duration> = ContinuousClock()) {
    runtime = FlowRuntime(clock: clock, writes: WriteOptions(service: till))
    window = runtime.openWindow(host: host) { _ in Root { Home(scope: $0) } }
    router = LinkRouter(runtime, links: Place.links) { place, session in .allowed }
    router.add(window)
  }
}

// A test: buy with two taps while the user may swipe the screen away, between any two steps.
@MainActor @Test func itemIsBoughtOnceAtMost() async throws {
  try await explore(schedules: 500) { lab in
    let (till, host) = (Till(), RecordingHost())
    let shop = Shop(till: till, host: host, clock: lab.clock)
    shop.runtime.signIn(Account("ada"))
    shop.router.deliver("shop://items/7")
    await lab.settle()
    guard let item = (shop.window.rootFlow as? Home)?.item.child?.flow else { return }
    lab.adversary("swipe") { host.swipe(item.scope.id) }
    item.buy()
    item.buy()
    await lab.settle()
    try lab.require(await till.sold.count <= 1, "it is bought once at most")
    try lab.require(shop.window.isConsistent, "each flow has its screen")
  }
}
