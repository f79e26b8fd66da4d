// Becoming a member, in two steps and one result. Written as one task that walks a path: each step
// is a child, shown by a push, and "back" is one step less.

import Millrace
import Observation

/// Asks for a name and a PIN, and registers a member.
@MainActor @Observable
package final class OnboardingFlow: Flow {
  package enum Output: Sendable, Equatable { case joined(LibraryCard), left }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let service: any LibraryService
  @ObservationIgnored package let nameStep = Slot<TextStep>()
  @ObservationIgnored package let pinStep = Slot<TextStep>()

  /// Why the last try failed, for the user.
  package private(set) var notice: String?

  package init(scope: FlowScope<Output>, service: any LibraryService) {
    self.scope = scope
    self.service = service
  }

  package func start() {
    scope.task("onboarding") { [self] in
      let asksName = scope.start(in: nameStep, as: .push) { TextStep(scope: $0, asksFor: .name) }
      for try await case .entered(let name) in asksName.outputs {
        guard let pin = await askPIN() else { continue }
        do {
          let card = try await scope.value("register") { [service] in
            try await service.register(name: name, pin: pin)
          }
          return scope.finish(.joined(card))
        } catch let error as LibraryError {
          notice = "\(error)"
        }
      }
      scope.finish(.left)
    }
  }

  /// The steps that are shown, first to last: read off the tree.
  package var path: [TextStep.Subject] {
    [nameStep, pinStep].compactMap { $0.child?.flow?.subject }
  }

  /// Nil when the user went back to the name.
  private func askPIN() async -> String? {
    let asksPIN = scope.start(in: pinStep, as: .push) { TextStep(scope: $0, asksFor: .pin) }
    for await case .entered(let pin) in asksPIN.outputs.asyncStream {
      // What the stream handed over counts as read: the step may have been left meanwhile.
      guard asksPIN.isCurrent else { return nil }
      asksPIN.dismiss()
      return pin
    }
    return nil
  }
}

/// One screen with one text field.
@MainActor @Observable
package final class TextStep: Flow {
  package enum Output: Sendable, Equatable { case entered(String), back }
  package enum Subject: Sendable, Equatable { case name, pin }

  @ObservationIgnored package let scope: FlowScope<Output>
  package let subject: Subject
  package var text = ""

  package init(scope: FlowScope<Output>, asksFor subject: Subject) {
    self.scope = scope
    self.subject = subject
  }

  package var canGoOn: Bool { !singleLine(text).isEmpty }

  package func next() { if canGoOn { scope.emit(.entered(text)) } }
  package func back() { scope.finish(.back) }
}
