// A place where tasks of a lab wait on purpose: a gate, the manual clock.

protocol Parking: AnyObject, Sendable {
  /// One line for each place at which something waits, for messages.
  var waiting: [String] { get }

  /// Lets all go with an error, now and from now on: the run is over.
  func end()
}
