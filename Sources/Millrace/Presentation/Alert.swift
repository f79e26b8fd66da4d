// Alerts and confirmation dialogs: values with typed answers. Each is a flow like any other, so it
// leaves with its owner, and an answer that comes after that is refused.

/// A question to the user, as a value.
///
/// ```swift
/// let alert = Alert("Discard the draft?", buttons: [
///   .init("Discard", role: .destructive, DismissalAnswer.discard), .init("Keep", .stay),
/// ])
/// ```
public struct Alert<Answer: Sendable>: Sendable {
  /// One button.
  public struct Button: Sendable {
    /// What it says and how it looks.
    public var content: AlertContent.Button
    /// What choosing it answers.
    public var answer: Answer

    /// Makes a button.
    public init(_ title: String, role: AlertContent.Role = .plain, _ answer: Answer) {
      content = AlertContent.Button(title: title, role: role)
      self.answer = answer
    }
  }

  /// How it is shown: `.alert` or `.confirmation`.
  public var presentation: Presentation
  /// The question.
  public var title: String
  /// More about it.
  public var message: String
  /// The answers, in order.
  public var buttons: [Button]

  /// Makes a question; it is shown as an alert, or as a confirmation dialog.
  public init(
    _ title: String, message: String = "", asConfirmation: Bool = false, buttons: [Button]
  ) {
    presentation = asConfirmation ? .confirmation : .alert
    self.title = title
    self.message = message
    self.buttons = buttons
  }
}

/// What a host draws of an alert.
public struct AlertContent: Sendable, Equatable {
  /// How a button looks.
  public enum Role: String, Sendable {
    /// As any other button.
    case plain
    /// The way out that changes nothing.
    case cancel
    /// It takes something away, and is drawn as a warning.
    case destructive
  }

  /// One button.
  public struct Button: Sendable, Equatable {
    /// What it says.
    public var title: String
    /// How it looks.
    public var role: Role

    /// Makes a button.
    public init(title: String, role: Role) {
      self.title = title
      self.role = role
    }
  }

  /// The question.
  public var title: String
  /// More about it.
  public var message: String
  /// The buttons, in order.
  public var buttons: [Button]
}

/// What a host needs of the flow of an alert, whatever its answers are.
@MainActor
public protocol AlertPresenting: Flow {
  /// What to draw.
  var content: AlertContent { get }
  /// The user has chosen this button. Refused for one that is not there, and after the end.
  @discardableResult
  func choose(_ button: Int) -> Acceptance
}

/// The flow of an alert. It finishes with the answer.
@MainActor
public final class AlertFlow<Answer: Sendable>: AlertPresenting {
  /// The alert's own scope.
  public let scope: FlowScope<Answer>
  /// The question.
  public let alert: Alert<Answer>

  /// Makes the flow; see `FlowScope.ask(_:)`.
  public init(scope: FlowScope<Answer>, alert: Alert<Answer>) {
    self.scope = scope
    self.alert = alert
  }

  /// What to draw.
  public var content: AlertContent {
    AlertContent(title: alert.title, message: alert.message, buttons: alert.buttons.map(\.content))
  }

  /// Answers with the button.
  @discardableResult
  public func choose(_ button: Int) -> Acceptance {
    guard alert.buttons.indices.contains(button) else {
      return scope.core.refuse(.unknownButton, scope.node)
    }
    return scope.tryFinish(alert.buttons[button].answer)
  }
}

extension FlowScope {
  /// Asks the user. `onAnswer` gets the answer, or nil if the alert went without one.
  ///
  /// - Returns: the alert; an ended flow returns one that has ended.
  @discardableResult
  public func ask<Answer: Sendable>(
    _ alert: Alert<Answer>, onAnswer: @escaping @MainActor (Answer?) -> Void
  ) -> Child<AlertFlow<Answer>> {
    start(
      AlertFlow<Answer>.self, as: alert.presentation, { AlertFlow(scope: $0, alert: alert) },
      onEnding: { onAnswer($0.output) })
  }

  /// Asks the user, inside a task of this flow.
  ///
  /// - Returns: the answer, or nil if the alert, or this flow, went without one.
  public func ask<Answer: Sendable>(_ alert: Alert<Answer>) async -> Answer? {
    let child = start(
      AlertFlow<Answer>.self, as: alert.presentation, { AlertFlow(scope: $0, alert: alert) })
    return await child.ending.output
  }

  /// Asks for a change of what the window shows. It is dropped if this flow ends before its turn.
  @discardableResult
  public func navigate(_ command: NavigationCommand) -> CommandAnswer {
    guard node.isRunning, let display = node.window?.display else {
      core.refuse(.endAfterEnd, node)
      return .refused(.originEnded)
    }
    return display.navigate(command, from: .flow(id), asker: node)
  }
}
