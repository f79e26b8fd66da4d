// A user who does anything that the screen offers, and now and then what it does not; the same for
// the same seed.

import LibraryApp
import Millrace
import MillraceCommand

/// Draws events.
struct RandomUser {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let texts = [
    "Ada", "1815", "1815", "", "日本語 🎉", "\u{1B}[2J", String(repeating: "long ", count: 50),
  ]

  private static let links = [
    "millrace://books/11", "https://library.example/reading-list", "millrace://account?account=M1",
    "millrace://books?account=M2", "millrace://books/999999999", "nonsense", "",
  ]

  /// The next event, for what is to be seen.
  @MainActor
  mutating func next(_ session: PlaySession) -> PlayEvent {
    let picture = session.picture()
    if session.front.host.gesture != nil, chance(3, of: 4) {
      return chance(1, of: 2) ? .complete : .letGo
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<48: return use(session.items)
    case 48..<66: return .wait(chance(1, of: 3) ? nil : Int.random(in: 0...900, using: &random))
    case 66..<73: return .select(tab: picture.layers.last?.tabs.randomElement(using: &random) ?? "")
    case 73..<78: return .back(nil)
    case 78..<82: return .swipe(nil)
    case 82..<90: return .begin(nil)
    case 90..<93: return .openWindow
    case 93..<95: return .useWindow(Int.random(in: 1...6, using: &random))
    case 95..<96: return .closeWindow
    case 96:
      return chance(1, of: 3) ? .lock : .openLink(Self.links.randomElement(using: &random) ?? "")
    case 97: return .swipe(FlowID(rawValue: UInt64.random(in: 0...400, using: &random)))
    case 98: return .signOut
    default: return .choose("no such thing")
    }
  }

  private mutating func use(_ items: [PageText]) -> PlayEvent {
    let active = items.filter(\.isActive)
    // Lists are long, and what leads on is beside them.
    let leading = active.filter { $0.role != .row }
    let offered = !leading.isEmpty && chance(2, of: 3) ? leading : active
    guard let item = offered.randomElement(using: &random) else { return .back(nil) }
    guard case .field = item.role else { return .choose(item.name) }
    // What is asked for, more often than not: he wants to get in.
    let wanted = item.name == "PIN" ? "1815" : "Ada"
    let text = chance(2, of: 3) ? wanted : Self.texts.randomElement(using: &random) ?? ""
    return .type(text, field: item.name)
  }

  private mutating func chance(_ count: Int, of all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < count
  }
}
