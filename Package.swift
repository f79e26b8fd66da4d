// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let mainActorClient: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
]
let nonsendingClient: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "millrace",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Millrace", targets: ["Millrace"]),
    .library(name: "MillraceTrace", targets: ["MillraceTrace"]),
    .library(name: "MillraceFiles", targets: ["MillraceFiles"]),
    .library(name: "MillraceRoutes", targets: ["MillraceRoutes"]),
    .library(name: "RaceLab", targets: ["RaceLab"]),
    .library(name: "RaceLabCommand", targets: ["RaceLabCommand"]),
    .executable(name: "race-corpus", targets: ["RaceCorpusCommand"]),
    .library(name: "RaceLabTesting", targets: ["RaceLabTesting"]),
    .library(name: "MillraceSwiftUI", targets: ["MillraceSwiftUI"]),
    .library(name: "MillraceUIKit", targets: ["MillraceUIKit"]),
    .library(name: "MillraceTesting", targets: ["MillraceTesting"]),
    .library(name: "MillraceSQLite", targets: ["MillraceSQLite"]),
    .executable(name: "millrace", targets: ["MillraceCommand"]),
    .executable(name: "millrace-bench", targets: ["MillraceBenchmarks"]),
  ],
  traits: [
    .trait(name: "SQLite", description: "A journal for writes in SQLite (the system's library).")
  ],
  targets: [
    // The runtime: standard library, Observation and Synchronization only.
    .target(name: "Millrace", swiftSettings: strict),
    // What to do with a trace: profiles of cancellation, and other tools' formats.
    .target(name: "MillraceTrace", dependencies: ["Millrace"], swiftSettings: strict),
    // What the runtime keeps in files; with Foundation, which the runtime does without.
    .target(name: "MillraceFiles", dependencies: ["Millrace"], swiftSettings: strict),
    // Deep links and restoration, on what the runtime offers to everybody.
    .target(
      name: "MillraceRoutes", dependencies: ["Millrace", "MillraceFiles"], swiftSettings: strict),
    // The lab: imports nothing of Millrace.
    .target(name: "RaceLab", dependencies: ["RaceLabHooks"], swiftSettings: strict),
    // The trait for Swift Testing; apart, so that the lab does not need the testing library.
    .target(name: "RaceLabTesting", dependencies: ["RaceLab"], swiftSettings: strict),
    // The lab from the shell, for anybody's scenarios.
    .target(
      name: "RaceLabCommand", dependencies: ["RaceLab", "SignalHooks"], swiftSettings: strict),
    .executableTarget(
      name: "RaceCorpusCommand", dependencies: ["RaceCorpus", "RaceLab", "RaceLabCommand"],
      swiftSettings: strict),
    // Faults and mended twins for the lab.
    .target(name: "RaceCorpus", dependencies: ["RaceLab"], swiftSettings: strict),
    // What the lab cannot say in Swift.
    .target(name: "RaceLabHooks"),
    // Hosts, empty where their framework is not.
    .target(name: "MillraceSwiftUI", dependencies: ["Millrace"], swiftSettings: strict),
    .target(name: "MillraceUIKit", dependencies: ["Millrace"], swiftSettings: strict),
    .target(name: "MillraceTesting", dependencies: ["Millrace", "RaceLab"], swiftSettings: strict),

    // The journal on SQLite: empty, and in need of nothing, without the trait.
    .systemLibrary(
      name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "MillraceSQLite",
      dependencies: ["Millrace", .target(name: "CSQLite", condition: .when(traits: ["SQLite"]))],
      swiftSettings: strict),

    // The example, and the command that runs it.
    .target(
      name: "LibraryApp", dependencies: ["Millrace", "MillraceFiles", "MillraceRoutes"],
      resources: [.embedInCode("Resources/books.json")], swiftSettings: strict),
    .executableTarget(
      name: "MillraceCommand",
      dependencies: [
        "LibraryApp", "Millrace", "MillraceFiles", "MillraceRoutes", "MillraceTrace", "RaceLab",
        "RaceLabCommand", "RuleScenarios", "SignalHooks", "TerminalHooks",
      ],
      swiftSettings: strict),
    // The signals that end a process, and its terminal: neither is to leave anything in disorder.
    .target(name: "SignalHooks"),
    .target(name: "TerminalHooks", dependencies: ["SignalHooks"]),

    // The rules of the runtime, as scenarios for the lab; and a program of these alone, for what breaks
    // the runtime on purpose and has to build often.
    .target(
      name: "RuleScenarios",
      dependencies: ["Millrace", "MillraceRoutes", "MillraceTesting", "RaceLab"],
      swiftSettings: strict),
    .executableTarget(
      name: "RuleExplorer",
      dependencies: ["RaceLab", "RaceLabCommand", "RuleScenarios"],
      path: "Tests/Breaches/Explorer", swiftSettings: strict),

    // The benchmarks, and what they cannot ask in Swift.
    .target(name: "BenchmarkProbe", path: "Benchmarks/BenchmarkProbe"),
    .executableTarget(
      name: "MillraceBenchmarks",
      dependencies: ["BenchmarkProbe", "Millrace", "MillraceSQLite", "MillraceTrace"],
      path: "Benchmarks/MillraceBenchmarks", swiftSettings: strict),

    .testTarget(
      name: "MillraceBenchmarksTests", dependencies: ["Millrace", "MillraceBenchmarks"],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceTraceTests",
      dependencies: ["Millrace", "MillraceTesting", "MillraceTrace", "RaceLab"],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceRoutesTests",
      dependencies: [
        "Millrace", "MillraceFiles", "MillraceRoutes", "MillraceTesting", "RaceLab",
        "RuleScenarios",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MillraceFilesTests", dependencies: ["Millrace", "MillraceFiles"],
      swiftSettings: strict),
    .testTarget(name: "RaceLabTests", dependencies: ["RaceLab"], swiftSettings: strict),
    .testTarget(
      name: "RaceLabCommandTests",
      dependencies: ["RaceCorpusCommand", "RaceLab", "RaceLabCommand"],
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
      name: "MillraceSQLiteTests",
      dependencies: [
        "LibraryServerSupport", "Millrace", "MillraceSQLite", "MillraceTesting", "RaceLab",
        "RaceLabCommand", "WriteKill",
        .target(name: "CLossyFiles", condition: .when(traits: ["SQLite"])),
      ], swiftSettings: strict),
    // A file layer for SQLite that knows what would be left after a power cut.
    .target(
      name: "CLossyFiles",
      dependencies: [.target(name: "CSQLite", condition: .when(traits: ["SQLite"]))],
      path: "Tests/CLossyFiles"),
    .testTarget(
      name: "FieldCases",
      dependencies: [
        "Millrace", "MillraceTesting", "RaceLab", "RaceLabCommand", "RuleScenarios",
      ],
      path: "Tests/FieldCases", swiftSettings: strict),
    .testTarget(
      name: "LibraryAppTests",
      dependencies: [
        "LibraryApp", "LibraryServerSupport", "Millrace", "MillraceFiles", "MillraceRoutes",
        "MillraceTesting", "RaceLab",
      ], swiftSettings: strict),
    // Starts the server of Tests/LibraryServer.
    .target(
      name: "LibraryServerSupport", dependencies: ["RaceLabCommand"],
      path: "Tests/LibraryServer/Support", swiftSettings: strict),
    // Kills a process that writes, and counts what was lost.
    .executableTarget(
      name: "WriteKill",
      dependencies: [
        "LibraryApp", "LibraryServerSupport", "Millrace", "MillraceSQLite", "RaceLabCommand",
      ],
      path: "Tests/WriteKill", swiftSettings: strict),
    .testTarget(
      name: "MillraceCommandTests",
      dependencies: [
        "LibraryApp", "LibraryServerSupport", "Millrace", "MillraceCommand", "MillraceTesting",
        "RaceLab", "RaceLabCommand",
      ], swiftSettings: strict),
    .testTarget(
      name: "MillraceSwiftUITests",
      dependencies: ["Millrace", "MillraceSwiftUI", "MillraceTesting"], swiftSettings: strict),
    .testTarget(
      name: "MillraceUIKitTests",
      dependencies: ["Millrace", "MillraceTesting", "MillraceUIKit"], swiftSettings: strict),
    .testTarget(
      name: "PresentationTests",
      dependencies: ["Millrace", "MillraceTesting", "RaceLab", "RuleScenarios"],
      swiftSettings: strict),
    .testTarget(
      name: "RuleScenariosTests", dependencies: ["RaceLab", "RuleScenarios"],
      swiftSettings: strict),
    // Compiles the sources in Tests/Fixtures and README.md, which are no part of any target, and looks
    // whether pages show what is tested and printed.
    .testTarget(
      name: "FixtureTests",
      dependencies: [
        "Millrace", "MillraceCommand", "MillraceRoutes", "MillraceTesting", "RaceCorpusCommand",
        "RaceLabCommand",
      ],
      swiftSettings: strict),

    // The apps of README.md, Shop.md and Tutorial.md, as they stand there.
    .testTarget(
      name: "ReadmeApp", dependencies: ["Millrace", "MillraceTesting", "RaceLab"],
      swiftSettings: strict),
    .testTarget(
      name: "ShopApp",
      dependencies: ["Millrace", "MillraceRoutes", "MillraceTesting", "RaceLab"],
      swiftSettings: strict),
    .testTarget(
      name: "TutorialApp", dependencies: ["Millrace", "MillraceTesting", "RaceLab"],
      swiftSettings: strict),

    // Apps with other defaults of isolation than the package has.
    .target(
      name: "MainActorClient", dependencies: ["Millrace", "MillraceRoutes"],
      path: "Tests/Clients/MainActorClient", swiftSettings: mainActorClient),
    .testTarget(
      name: "MainActorClientTests",
      dependencies: [
        "MainActorClient", "Millrace", "MillraceRoutes", "MillraceTesting", "RaceLab",
      ],
      path: "Tests/Clients/MainActorClientTests", swiftSettings: mainActorClient),
    .target(
      name: "NonisolatedNonsendingClient", dependencies: ["Millrace", "MillraceRoutes"],
      path: "Tests/Clients/NonisolatedNonsendingClient", swiftSettings: nonsendingClient),
    .testTarget(
      name: "NonisolatedNonsendingClientTests",
      dependencies: [
        "Millrace", "MillraceRoutes", "MillraceTesting", "NonisolatedNonsendingClient",
      ],
      path: "Tests/Clients/NonisolatedNonsendingClientTests", swiftSettings: nonsendingClient),
  ]
)
