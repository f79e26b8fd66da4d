// Runs the day's steps in order. A step that cannot go on ends the day: what comes after it would
// only repeat its fault.

import LibraryApp
import Millrace
import MillraceTrace

extension Tour {
  /// Runs a whole tour.
  ///
  /// - Parameter recorders: is given the recorder of the trace, for who cannot wait for the end.
  /// - Returns: the report, and the trace if one was asked for.
  /// - Throws: if there is no library to have a day at.
  static func run(
    _ options: TourOptions, catalogue: Catalogue, _ recorders: TourRecorders = TourRecorders()
  ) async throws(TourServer.Unfit) -> (report: TourReport, trace: TraceRecording?) {
    let tour = try await Tour(options: options, catalogue: catalogue)
    let recorder = options.trace.map { _ in TraceRecorder(clock: tour.runtime.clock) }
    if let recorder { tour.runtime.addSink(recorder) }
    recorders.recorder = recorder
    let steps: [@MainActor (Tour) -> () async throws -> Void] = [
      Tour.opening, Tour.joining, Tour.lending, Tour.threeParents, Tour.checkingOut,
      Tour.replacing, Tour.replacingInSlot, Tour.dismissing, Tour.signingOut, Tour.returning,
      Tour.following, Tour.closing,
    ]
    do {
      for step in steps { try await step(tour)() }
    } catch {
      tour.giveUp(error)
    }
    return (tour.report, recorder?.recording)
  }
}

/// Holds the recorder of a tour that goes on.
@MainActor
final class TourRecorders {
  var recorder: TraceRecorder?

  nonisolated init() {}
}
