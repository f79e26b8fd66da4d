// How the process ends, for scripts.

/// What the process tells its caller; numbers as in sysexits.h.
enum ExitStatus: Int32 {
  case asExpected = 0
  case different = 1
  case wrongUsage = 64
  case wrongData = 65
  case noInput = 66
  case unavailable = 69
  case noOutput = 74
}
