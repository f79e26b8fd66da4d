// One row of the table of links: how a path reads, and which place it names.

/// A pattern such as `/books/:id?format=:format`: parts and query items with a colon are parameters.
///
/// ```swift
/// LinkPattern("/books/:id", .value("id", as: Int.self)) { .book($0) } values: { route in
///   if case .book(let id) = route { id } else { nil }
/// }
/// ```
public struct LinkPattern<R: Route>: Sendable {
  /// How it reads.
  public let text: String
  let shape: Shape
  /// Makes the place of the values. Key: name of a parameter. Value: its text.
  let read: @Sendable ([String: String]) throws(LinkError) -> R
  /// The texts of the parameters, or nil if it names another place. A parameter that is left out is
  /// not there.
  let write: @Sendable (R) -> [String: String]?

  enum Part: Sendable, Equatable {
    case literal(String)
    case parameter(String)
  }

  /// What a pattern looks like.
  struct Shape: Sendable {
    var parts: [Part] = []
    /// Name of the item, and of its parameter.
    var items: [(name: String, parameter: String)] = []
  }

  /// Makes a pattern.
  ///
  /// - Parameters:
  ///   - text: parts with slashes between, then query items, as they read: without percent codes. Parts
  ///     and items that begin with a colon name a parameter. It is written in code: one whose parameters
  ///     are not those that follow, or that has one or an item twice, stops the program when it is made.
  ///   - parameters: each parameter once, in any order.
  ///   - place: the place for the values, or nil if they name none.
  ///   - values: the values of a place, or nil if another pattern has it. The inverse of `place`.
  public init<each Value: Sendable>(
    _ text: String, _ parameters: repeat LinkParameter<each Value>,
    place: @escaping @Sendable (repeat each Value) -> R?,
    values: @escaping @Sendable (R) -> (repeat each Value)?
  ) {
    let shape = Shape(text)
    self.text = text
    self.shape = shape
    var names: [String] = []
    for parameter in repeat each parameters {
      names.append(parameter.name)
      precondition(
        !parameter.isOptional || shape.items.contains { $0.parameter == parameter.name },
        "the parameter \(parameter.name) of \(text) is optional and no query item")
    }
    precondition(
      names.sorted() == shape.parameters.sorted(),
      "the pattern \(text) has the parameters \(shape.parameters), and was given \(names)")
    for names in [names, shape.items.map(\.name)] {
      precondition(
        Set(names).count == names.count, "the pattern \(text) has one of \(names) twice")
    }
    read = { (texts) throws(LinkError) in
      let made: R?
      do {
        made = place(repeat try shape.read(each parameters, from: texts))
      } catch let error as LinkError {
        throw error
      } catch {
        throw .noPlace(pattern: text, values: texts)
      }
      guard let made else { throw .noPlace(pattern: text, values: texts) }
      return made
    }
    write = { route in
      guard let tuple = values(route) else { return nil }
      var texts: [String: String] = [:]
      for (parameter, value) in repeat (each parameters, each tuple) {
        if let text = parameter.write(value) { texts[parameter.name] = text }
      }
      return texts
    }
  }

  /// A pattern without parameters, for one place.
  public init(_ text: String, _ route: R) {
    self.init(text, place: { route }, values: { $0 == route ? () : nil })
  }
}

extension LinkPattern.Shape {
  init(_ text: String) {
    let pieces = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    parts = (pieces.first ?? "").split(separator: "/").map {
      $0.first == ":" ? .parameter(String($0.dropFirst())) : .literal(String($0))
    }
    guard pieces.count > 1 else { return }
    for item in pieces[1].split(separator: "&") {
      let sides = item.split(separator: "=", maxSplits: 1)
      precondition(
        sides.count == 2 && sides[1].first == ":",
        "the query item \(item) of the pattern \(text) is not written as name=:parameter")
      items.append((String(sides[0]), String(sides[1].dropFirst())))
    }
  }

  var parameters: [String] {
    parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
      + items.map(\.parameter)
  }

  /// Where a parameter stands, for messages.
  func place(of parameter: String) -> String {
    if let index = parts.firstIndex(of: .parameter(parameter)) {
      return "part \(index + 1) of the path (\(parameter))"
    }
    let item = items.first { $0.parameter == parameter }?.name ?? parameter
    return "the query item \"\(item)\""
  }

  /// The texts of the parameters in the path, or nil if the path is another one. Letters are
  /// compared by their bytes: the URL standard knows no two ways to write one.
  func match(_ path: [String]) -> [String: String]? {
    guard path.count == parts.count else { return nil }
    var texts: [String: String] = [:]
    for (part, text) in zip(parts, path) {
      switch part {
      case .literal(let literal):
        guard literal.utf8.elementsEqual(text.utf8) else { return nil }
      case .parameter(let name): texts[name] = text
      }
    }
    return texts
  }

  fileprivate func read<Value>(
    _ parameter: LinkParameter<Value>, from texts: [String: String]
  ) throws(LinkError) -> Value {
    let text = texts[parameter.name]
    if let value = parameter.read(text) { return value }
    guard let text else {
      let item = items.first { $0.parameter == parameter.name }?.name ?? parameter.name
      throw .missingItem(item, expected: parameter.expected)
    }
    throw .wrongValue(
      part: place(of: parameter.name), value: text, expected: parameter.expected)
  }
}
