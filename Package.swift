// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "millrace",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Millrace", targets: ["Millrace"]),
    .library(name: "RaceLab", targets: ["RaceLab"]),
    .library(name: "RaceLabCommand", targets: ["RaceLabCommand"]),
    .executable(name: "race-corpus", targets: ["RaceCorpusCommand"]),
    .library(name: "RaceLabTesting", targets: ["RaceLabTesting"]),
    .library(name: "MillraceTesting", targets: ["MillraceTesting"]),
    .executable(name: "millrace", targets: ["MillraceCommand"]),
    .executable(name: "millrace-bench", targets: ["MillraceBenchmarks"]),
  ],
  targets: [
    // The runtime: standard library, Observation and Synchronization only.
    .target(name: "Millrace", swiftSettings: strict),
    // The lab: imports nothing of Millrace.
    .target(name: "RaceLab", dependencies: ["RaceLabHooks"], swiftSettings: strict),
    // The trait for Swift Testing; apart, so that the lab does not need the testing library.
    .target(name: "RaceLabTesting", dependencies: ["RaceLab"], swiftSettings: strict),
    // The lab from the shell, for anybody's scenarios.
    .target(name: "RaceLabCommand", dependencies: ["RaceLab"], swiftSettings: strict),
    .executableTarget(
      name: "RaceCorpusCommand", dependencies: ["RaceCorpus", "RaceLab", "RaceLabCommand"],
      swiftSettings: strict),
    // Faults and mended twins for the lab.
    .target(name: "RaceCorpus", dependencies: ["RaceLab"], swiftSettings: strict),
    // What the lab cannot say in Swift.
    .target(name: "RaceLabHooks"),
    .target(name: "MillraceTesting", dependencies: ["Millrace", "RaceLab"], swiftSettings: strict),

    // The example, and the command that runs it.
    .target(
      name: "LibraryApp", dependencies: ["Millrace"],
      resources: [.embedInCode("Resources/books.json")], swiftSettings: strict),
    .executableTarget(
      name: "MillraceCommand", dependencies: ["LibraryApp", "Millrace"], swiftSettings: strict),
    .executableTarget(
      name: "MillraceBenchmarks", dependencies: ["Millrace"],
      path: "Benchmarks/MillraceBenchmarks", swiftSettings: strict),

    .testTarget(name: "RaceLabTests", dependencies: ["RaceLab"], swiftSettings: strict),
    .testTarget(
      name: "RaceLabCommandTests", dependencies: ["RaceLab", "RaceLabCommand"],
      swiftSettings: strict),
    .testTarget(
      name: "RaceCorpusTests", dependencies: ["RaceCorpus", "RaceLab"], swiftSettings: strict),
    .testTarget(
      name: "RaceLabTestingTests", dependencies: ["RaceLab", "RaceLabTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceTests", dependencies: ["Millrace", "MillraceTesting", "RaceLab"],
      swiftSettings: strict),
    .testTarget(
      name: "FieldCases", dependencies: ["Millrace", "MillraceTesting", "RaceLab"],
      path: "Tests/FieldCases", swiftSettings: strict),
    .testTarget(
      name: "LibraryAppTests", dependencies: ["LibraryApp", "MillraceTesting", "RaceLab"],
      swiftSettings: strict),
  ]
)
