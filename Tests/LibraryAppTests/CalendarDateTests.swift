// Days: what is one, and what comes after it.

import LibraryApp
import Testing

@Suite struct CalendarDateTests {
  // Prevents: a day that does not exist, or another notation, taken as a date.
  @Test(arguments: [
    "2008-13-01", "2008-00-10", "2008-02-30", "1900-02-29", "2008-6-27", "0000-01-01", "+008-01-01",
    "2008-06-27T00:00", " 2008-06-27", "", "--", "2008/06/27", "२००८-०६-२७",
  ])
  func textThatIsNoDay_isRefused(text: String) {
    #expect(CalendarDate(text) == nil)
  }

  // Prevents: a loan that ends on a day that does not exist.
  @Test func addingDays_crossesMonthsAndLeapDays() {
    #expect(CalendarDate("2024-02-20")?.adding(days: 21).description == "2024-03-12")
    #expect(CalendarDate("2023-02-20")?.adding(days: 21).description == "2023-03-13")
    #expect(CalendarDate("1999-12-31")?.adding(days: 1).description == "2000-01-01")
    #expect(CalendarDate("9999-12-31")?.adding(days: 400).description == "9999-12-31")
    #expect(CalendarDate("2024-02-29")?.adding(days: -5).description == "2024-02-29")
  }

  // Prevents: dates that sort by text or by parts in the wrong order.
  @Test func dates_areOrderedInTime() throws {
    let texts = ["2008-06-25", "0999-12-31", "2008-06-26", "2007-12-31"]
    let days = texts.compactMap { CalendarDate($0) }.sorted()
    #expect(days.map(\.description) == ["0999-12-31", "2007-12-31", "2008-06-25", "2008-06-26"])
  }
}
