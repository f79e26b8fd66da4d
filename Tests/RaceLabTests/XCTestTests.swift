import RaceLab
import XCTest

final class XCTestTests: XCTestCase {
  // Tests that exist already are XCTest's; the lab must not need the other library.
  func testLabInXCTest_runs() async throws {
    let value = try await Lab.run { lab in
      let gate = lab.gate(of: Int.self, "answer")
      let task = Task { try await gate.wait() }
      await lab.settle()
      XCTAssertEqual(gate.waiterCount, 1)
      gate.open(with: 3)
      return try await task.value
    }
    XCTAssertEqual(value, 3)
  }

  // A caller on the real main actor waits for another main actor; neither may block the other.
  @MainActor func testCallerOnTheMainActor_isNotBlocked() async throws {
    let value = try await Lab.run { lab in
      MainActor.assertIsolated()
      await lab.settle()
      return 4
    }
    MainActor.assertIsolated()
    XCTAssertEqual(value, 4)
  }
}
