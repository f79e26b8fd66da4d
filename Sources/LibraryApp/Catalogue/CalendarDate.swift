// A day of the civil calendar, without a time or a time zone: what a catalogue and a loan need.

/// A day such as 2008-06-27.
package struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let year: Int
  package let month: Int
  package let day: Int

  /// Makes a date from its parts; nil where there is no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CalendarDate.length(ofMonth: month, in: year)).contains(day)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads "YYYY-MM-DD", and nothing else.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy(digits.contains) }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  /// The first day of the calendar.
  package static let first = CalendarDate(uncheckedYear: 1, month: 1, day: 1)

  private init(uncheckedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  package var description: String {
    "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))"
  }

  /// The day that comes `days` later (zero or more; the last day of the year 9999 is the limit).
  package func adding(days: Int) -> CalendarDate {
    var (year, month, day) = (year, month, day + max(0, days))
    while day > CalendarDate.length(ofMonth: month, in: year) {
      day -= CalendarDate.length(ofMonth: month, in: year)
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
      if year > 9999 { return CalendarDate(uncheckedYear: 9999, month: 12, day: 31) }
    }
    return CalendarDate(uncheckedYear: year, month: month, day: day)
  }

  package static func < (a: CalendarDate, b: CalendarDate) -> Bool {
    (a.year, a.month, a.day) < (b.year, b.month, b.day)
  }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

private func padded(_ number: Int, to width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

// As text; a day that there is not is not read.
extension CalendarDate: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = CalendarDate(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no day")
    }
    self = date
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
