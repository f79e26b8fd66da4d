import RaceCorpus
import RaceLab
import Testing

/// A scenario of the corpus, one half of a pair.
struct Half: CustomTestStringConvertible, Sendable {
  let pair: Pair
  let mended: Bool
  var body: @MainActor (Lab) async throws -> Void { mended ? pair.mended : pair.faulty }
  var testDescription: String { pair.testDescription + (mended ? ", mended" : "") }

  static let all = Pair.all.filter { $0.cancels == 0 }.flatMap {
    [Half(pair: $0, mended: false), Half(pair: $0, mended: true)]
  }
}

@Suite(.enabled(if: Lab.uncontrolled.isEmpty)) struct ReductionTests {
  #if DEBUG
    private static let usual = 100
  #else
    private static let usual = 300
  #endif
  static let most = CorpusTests.count("RACE_CORPUS_EXACT", usual)

  // An order that is left out though it makes a difference is a fault that is never found. What any
  // search sees of a scenario, the reduced one must have seen too when it has come to its end, and
  // nothing else.
  @Test(arguments: Half.all) func reducedSearch_seesWhatFullSearchSees(of half: Half) async throws {
    let result = try await Reduction(of: half.body, upTo: Self.most)
    #expect(result.missed == 0)
    #expect(result.invented == 0)
    if let full = result.full {
      let reduced = try #require(
        result.reduced, "the full search ends, and the reduced one does not")
      #expect(reduced <= full)
    }
  }
}
