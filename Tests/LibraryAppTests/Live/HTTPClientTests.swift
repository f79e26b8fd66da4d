// Requests that are cancelled while their answers arrive.

import Foundation
import LibraryServerSupport
import Testing

@testable import LibraryApp

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(
  "HTTP client",
  .enabled(
    if: LibraryServerProcess.isPossible, "no python3 on PATH: the HTTP client is not tested"))
struct HTTPClientTests {
  // Each request is cancelled by the answer to another one: that is when its own is on its way. Where
  // a cancellation and an answer wait for each other this does not end, and where a request ends
  // twice it traps.
  @Test(.timeLimit(.minutes(15))) func cancelledAsItIsAnswered_endsOnce() async throws {
    let server = try LibraryServerProcess()
    let client = HTTPClient(timeout: 3600, connections: 16)
    defer { client.close() }
    let request = URLRequest(url: server.url.appending(path: "control/log"))
    var ends: [End: Int] = [:]
    for _ in 0..<50 {
      let asked = (0..<16).map { _ in Task { try await client.answer(to: request) } }
      await withTaskGroup(of: End.self) { group in
        for (one, next) in zip(asked, asked.dropFirst() + asked.prefix(1)) {
          group.addTask {
            defer { next.cancel() }
            return await End { try await one.value }
          }
        }
        for await end in group { ends[end, default: 0] += 1 }
      }
    }
    #expect(ends[.other] == nil)
    #expect(ends[.answered, default: 0] + ends[.cancelled, default: 0] == 800)
    #expect(ends[.answered, default: 0] >= 50, "the first one of each round has nobody before it")
    withExtendedLifetime(server) {}
  }

  @Test(.timeLimit(.minutes(15))) func cancelledBefore_isCancelled() async throws {
    let server = try LibraryServerProcess()
    let client = HTTPClient()
    let request = URLRequest(url: server.url.appending(path: "control/log"))
    let end = await withTaskGroup(of: End.self) { group in
      group.cancelAll()
      group.addTask { await End { try await client.answer(to: request) } }
      return await group.next()
    }
    #expect(end == .cancelled)
    withExtendedLifetime(server) {}
  }
}

private enum End {
  case answered
  case cancelled
  case other

  init(of ask: () async throws -> (Data, HTTPURLResponse)) async {
    do {
      self = try await ask().1.statusCode == 200 ? .answered : .other
    } catch let error as URLError where error.code == .cancelled {
      self = .cancelled
    } catch {
      self = .other
    }
  }
}
