//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Testing

@testable import Loading

@Suite("Progress, errors and states are plain values")
struct ValueTests {
    @Test("percent is clamped to 0...100 and absent stays absent", arguments: [(-1, 0), (0, 0), (50, 50), (100, 100), (Int.max, 100)])
    func percent(given: Int, kept: Int) {
        #expect(LoadingProgress(percent: given).percent == kept)
        #expect(LoadingProgress(percent: given, message: "m") == LoadingProgress(isCanceled: nil, message: "m", percent: kept))
        #expect(LoadingProgress() == LoadingProgress(percent: nil, message: nil))
        #expect(LoadingProgress().percent == nil)
    }

    @Test("a copy of a wrapped error is equal, a second wrap of the same error is not")
    func identity() {
        let first = HashableError(Flaw.broken)
        let copy = first
        #expect(copy == first)
        #expect(copy.hashValue == first.hashValue)
        #expect(HashableError(Flaw.broken) != first)
        #expect(HashableError(Flaw.late, identity: first.identity) == first)
    }

    @Test("a failure describes itself by the localized description of its error")
    func description() {
        #expect(LoadingState<Int>.failure(Flaw.broken).description == "it is broken")
        let error = NSError(domain: "d", code: 7, userInfo: [NSLocalizedDescriptionKey: "seven"])
        #expect(LoadingState<Int>.failure(error).description == "seven")
        #expect(HashableError(URLError(.badURL)).localizedDescription == URLError(.badURL).localizedDescription)
        let refusal = ConcurrencyLimitError(.tooManyWaiting, concurrencyLimit: 1, waiterLimit: 2)
        #expect(LoadingState<Int>.failure(refusal).description == refusal.description)
    }

    @Test("states can be told apart, hashed and asked for their error and value")
    func states() {
        let failure = LoadingState<Int>.failure(Flaw.broken)
        let all: Set<LoadingState<Int>> = [
            .idle, .loading(nil), .loading(LoadingProgress(percent: 1)), .loaded(1), .loaded(2), failure, failure,
        ]
        #expect(all.count == 6)
        #expect(failure.error as? Flaw == .broken)
        #expect(LoadingState.loaded(3).value == 3)
        #expect(LoadingState<Int>.loaded(3).error == nil)
        #expect(
            LoadingState<Int>.loading(LoadingProgress(isCanceled: true, message: "m", percent: 4)).description == "loading 4% m cancelled")
        #expect([LoadingState<Int>.idle, .loading(nil), .loaded(1)].map(\.description) == ["idle", "loading", "loaded(1)"])
    }
}
