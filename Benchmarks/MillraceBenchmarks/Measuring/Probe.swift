// The probe in Swift's words.

import BenchmarkProbe

enum Probe {
  /// Whether allocations can be counted here.
  static var countsAllocations: Bool { millrace_probe_counts_allocations() != 0 }
  /// Whether callgrind can be told where to count.
  static var steersCallgrind: Bool { millrace_probe_steers_callgrind() != 0 }
  /// Nanoseconds of processor time of this thread.
  static var threadTime: Int64 { millrace_probe_thread_time() }

  static func startCounting() { millrace_probe_start() }
  static func stopCounting() { millrace_probe_stop() }
  static var allocations: Int64 { millrace_probe_allocations() }
  static var bytes: Int64 { millrace_probe_bytes() }
  static var liveBytes: Int64 { millrace_probe_live_bytes() }
  static func toggleCallgrind() { millrace_probe_toggle_callgrind() }
}
