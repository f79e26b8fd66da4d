// Loads that live while their screen is seen, and what a cancellation looks like.

import Millrace
import MillraceTesting
import RaceLab
import Testing

#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
#else
  import Foundation
#endif

@MainActor @Suite struct AppearanceCases {
  struct AppError: Error { let wrapped: any Error }

  /// The errors by which a library may tell that it was cancelled.
  enum Told: String, CaseIterable, Sendable {
    case cancellation, url, wrappedCancellation, wrappedURL

    var error: any Error {
      switch self {
      case .cancellation: CancellationError()
      case .url: URLError(.cancelled)
      case .wrappedCancellation: AppError(wrapped: CancellationError())
      case .wrappedURL: AppError(wrapped: URLError(.cancelled))
      }
    }
  }

  /// A view model with a list that is loaded while it is seen.
  final class ListModel: Flow {
    let scope: FlowScope<String>
    private(set) var history: [String] = []
    private(set) var list = Loadable<String>.idle { didSet { history.append(text(of: list)) } }
    private let work: @concurrent @Sendable () async throws -> String

    init(
      _ scope: FlowScope<String>, _ work: @escaping @concurrent @Sendable () async throws -> String
    ) {
      self.scope = scope
      self.work = work
    }

    func start() {
      scope.load("list", into: \.list, of: self, lifetime: .appearance, work)
    }

    var alerts: Int { history.count { $0 == "failed" } }

    private func text(of list: Loadable<String>) -> String {
      switch list {
      case .idle: "idle"
      case .loading: "loading"
      case .loaded(let value): value
      case .failed: "failed"
      }
    }
  }

  // Fault: leaving a screen quickly brings an error alert, and coming back the list stays empty.
  @Test(arguments: Told.allCases, Hearing.allCases)
  func c59_cancelledInAnAlert(_ told: Told, _ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remote = Remote<String>(lab, "list", hearing)
      let child = try stage.root().scope.start(as: .push) { scope in
        ListModel(scope) {
          do { return try await remote.call() } catch is CancellationError { throw told.error }
        }
      }
      let model = try #require(child.flow)
      await lab.settle()
      #expect(model.list.isLoading)

      stage.window.report(.didCover(child.id))
      await lab.settle()
      #expect(!model.list.isLoading)
      if hearing != .cooperative { remote.gate.fail(told.error) }
      await lab.settle()
      stage.window.report(.didUncover(child.id))
      await lab.settle()
      #expect(model.list.isLoading)
      remote.gate.open(with: "v")
      await lab.settle()

      #expect(model.alerts == 0)
      #expect(model.history.filter { $0 != "idle" } == ["loading", "loading", "v"])
      #expect(model.list == .loaded("v"))
      #expect(remote.calls == 2)
      #expect(stage.outcomes(of: "list") == [.cancelled(.covered), .succeeded])
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: the late value of the covered load shows on the screen that came back.
  @Test(arguments: [Hearing.deaf, .shielded])
  func c59_cancelledInAnAlert_lateValue(_ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remotes = ["g1", "g2"].map { Remote<String>(lab, $0, hearing) }
      let calls = lab.gate(of: Int.self, "which")
      let child = try stage.root().scope.start(as: .push) { scope in
        ListModel(scope) { try await remotes[try await calls.wait()].call() }
      }
      let model = try #require(child.flow)
      calls.open(with: 0)
      await lab.settle()
      stage.window.report(.didCover(child.id))
      stage.window.report(.didUncover(child.id))
      calls.open(with: 1)
      await lab.settle()
      remotes[0].gate.open(with: "old")
      await lab.settle()
      #expect(remotes.map(\.calls) == [1, 1])
      #expect(model.list.isLoading)
      remotes[1].gate.open(with: "v")
      await lab.settle()
      #expect(model.history.filter { $0 != "idle" } == ["loading", "loading", "v"])
      #expect(stage.stale("list") == 1)
      stage.expectSound()
    }
  }

  // Fault: an error that looks like a cancellation, of work that nobody cancelled, is swallowed.
  @Test(arguments: Told.allCases)
  func c59_cancelledInAnAlert_byNobody(_ told: Told) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remote = Remote<String>(lab, "list")
      let child = try stage.root().scope.start(as: .push) { scope in
        ListModel(scope) { try await remote.call() }
      }
      let model = try #require(child.flow)
      let (notes, root) = (Notes(), try stage.root())
      root.scope.load("other", remote, by: .value) {
        if case .failure = $0 { notes.add("failed") }
      }
      await lab.settle()
      remote.gate.fail(told.error)
      await lab.settle()
      #expect(model.history == ["loading", "failed"])
      #expect(notes.lines == ["failed"])
      #expect(stage.outcomes(of: "list") == [.failed])
      #expect(stage.outcomes(of: "other") == [.failed])
      #expect(child.isCurrent)
      stage.expectSound()
    }
  }
}
