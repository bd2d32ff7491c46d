//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWorker

/// Fails at random, so many attempts of a hundred as its argument says, with a code of its own and so that the next attempt may succeed.
///
/// Which attempts those are follows from the number of the job and of the attempt, so that whoever knows both knows what is to come of it: the first
/// number of SplitMix64 for the seed that both make, mixed.
struct FlakyLoader: Loader {
    let name = "flaky"

    func run(_ job: JobContext) async throws -> LoaderResult {
        guard let percent = UInt64(String(decoding: job.argument, as: UTF8.self)) else {
            throw LoaderFailure(.invalidData, "the argument says how many attempts of a hundred fail")
        }
        var random = SplitMix64(mixing: job.job.rawValue &* 1_000 &+ UInt64(job.attempt))
        guard random.next() % 100 >= percent else {
            throw LoaderFailure(FailureCode(rawValue: "unlucky"), "attempt \(job.attempt) had no luck", retryable: true)
        }
        return LoaderResult(text: "attempt \(job.attempt)")
    }
}
