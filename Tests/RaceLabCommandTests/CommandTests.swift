import Foundation
import RaceLab
import RaceLabCommand
import Testing

@MainActor private final class Accounts {
  private(set) var created = 0
  func create() async {
    let isThere = created > 0
    await Task.yield()
    if !isThere { created += 1 }
  }
}

private let faulty = Scenario("faulty") { lab in
  let accounts = Accounts()
  let one = Task { await accounts.create() }
  let two = Task {
    for _ in 0..<4 { await Task.yield() }
    await accounts.create()
  }
  await one.value
  await two.value
  try lab.require(accounts.created == 1)
}

private let right = Scenario("right") { _ in await Task.detached {}.value }

private let suite = ScenarioSuite("tests", [faulty, right])

/// A folder that is gone after the test.
private final class Folder: Sendable {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("racelab-tests-\(UUID().uuidString)").path
  init() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct CommandTests {
  // A build server looks at the exit status, and at nothing else.
  @Test func explore_tellsByItsStatus() async {
    #expect(await suite.run(["explore", "right", "--in-process"]) == 0)
    #expect(await suite.run(["explore", "faulty", "--in-process"]) == 1)
    #expect(await suite.run(["list"]) == 0)
  }

  // A slip in a script must not look like a search that found nothing.
  @Test(arguments: [
    ["explode"], ["explore", "nobody", "--in-process"], ["explore", "--strategy", "luck"],
    ["explore", "--schedules", "0"], ["explore", "--schedules"], ["explore", "--shard", "3/2"],
    ["explore", "--time", "never"], ["explore", "--frequently"], ["replay"], ["replay", "word"],
    ["replay", "rl1-AAAAAAAAAA"], ["merge"], ["merge", "/nonexistent.json"],
    ["explore", "right", "--in-process", "--json", "/nonexistent/folder/file"],
  ])
  func wrongUse_isToldSo(arguments: [String]) async {
    #expect(await suite.run(arguments) == 2)
  }

  // Reports are read by other programs: they must be whole, and hold the token.
  @Test func reports_areWrittenAndRead() async throws {
    let folder = try Folder()
    let json = folder.path + "/a.json"
    let junit = folder.path + "/a.xml"
    let html = folder.path + "/a.html"
    let status = await suite.run([
      "explore", "--in-process", "--json", json, "--junit", junit, "--html", html,
    ])
    #expect(status == 1)
    let data = try Data(contentsOf: URL(fileURLWithPath: json))
    let reports = try JSONDecoder().decode([SearchReport].self, from: data)
    #expect(reports.map(\.scenario) == ["faulty", "right"])
    let token = try #require(reports.first?.findings.first?.token)
    #expect(await suite.run(["replay", token]) == 1)
    let xml = try String(contentsOfFile: junit, encoding: .utf8)
    #expect(xml.contains("failures=\"1\""))
    let page = try String(contentsOfFile: html, encoding: .utf8)
    #expect(page.contains(token))
    #expect(!page.contains("http"))
  }

  // What failed once is tried first the next time, even if the search would not find it.
  @Test func corpusToken_isRunFirst() async throws {
    let folder = try Folder()
    let arguments = ["explore", "faulty", "--in-process", "--corpus", folder.path]
    #expect(await suite.run(arguments) == 1)
    #expect(await suite.run(arguments + ["--schedules", "1", "--strategy", "bounded"]) == 1)
    #expect(
      await suite.run([
        "explore", "faulty", "--in-process", "--schedules", "1", "--strategy", "bounded",
      ]) == 0)
  }

  // Shards that are added up must be all of one search, and each once.
  @Test func merge_addsShardsAndRefusesOthers() async throws {
    let folder = try Folder()
    var files: [String] = []
    for shard in 1...2 {
      files.append("\(folder.path)/\(shard).json")
      _ = await suite.run([
        "explore", "right", "--in-process", "--strategy", "bounded", "--shard", "\(shard)/2",
        "--json", files[shard - 1],
      ])
    }
    #expect(await suite.run(["merge"] + files) == 0)
    #expect(await suite.run(["merge", files[0], files[0]]) == 2)
  }
}
