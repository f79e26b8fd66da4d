// Values as a report has them: short, and the same text every time.

import LibraryApp
import Millrace

/// A value in words.
@MainActor
func written(_ value: Any) -> String {
  switch value {
  case let flag as Bool: return flag ? "yes" : "no"
  case let text as String: return text
  case let session as Session:
    return "session of \(session.account), epoch \(session.epoch.rawValue)"
  case let stored as StoredSession: return "credential of \(stored.account)"
  case let refusals as [RefusalKind: Int]:
    return list(
      refusals.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" })
  case let calls as [LibraryCall: Int]:
    return list(
      calls.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key)" })
  default: return parts(of: value)
  }
}

@MainActor
private func parts(of value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional: return mirror.children.first.map { written($0.value) } ?? "nothing"
  case .collection: return list(mirror.children.map { written($0.value) })
  case .enum:
    guard let payload = mirror.children.first else { return "\(value)" }
    return "\(payload.label ?? "") \(written(payload.value))"
  case .struct where !(value is any CustomStringConvertible):
    return mirror.children.map { written($0.value) }.joined(separator: ", ")
  default: return "\(value)"
  }
}

private func list(_ items: [String]) -> String {
  items.isEmpty ? "none" : items.joined(separator: ", ")
}
