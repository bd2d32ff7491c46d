//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
package import GantryFeedLoaders
package import GantryFileCache
import GantryModel
package import GantryWorker

/// The loaders that the command `gantry worker` offers.
package enum StandardLoaders {
    /// `http`, `list` and `sleep`.
    ///
    /// - Parameters:
    ///   - cache: the shared cache, where lists and large details go.
    ///   - httpPolicy: which addresses may be asked and what bounds a transfer.
    ///   - resources: the threads and the memory that they share.
    package static func make(cache: FileCache, httpPolicy: HTTPPolicy, resources: LoaderResources = LoaderResources()) -> [any Loader] {
        [HTTPLoader(cache: cache, policy: httpPolicy, resources: resources), ListLoader(cache: cache, resources: resources), SleepLoader()]
    }

    /// `noop`, which runs on the worker's own loop.
    package static func makeBulk() -> [any BulkLoader] { [NoopLoader()] }
}

/// Waits for as long as its argument says, with progress; ends at once when it is cancelled.
///
/// The argument is a number of milliseconds in decimal digits, `250`, or JSON with seconds, `{"seconds":0.25}`; at most a day.
/// The result is empty.
package struct SleepLoader: Loader {
    private struct Argument: Decodable {
        let seconds: Double
    }

    /// The longest wait that is taken.
    package static let longest: Duration = .seconds(86_400)

    /// `sleep`.
    package let name = LoaderName.sleep
    private let sleep: @Sendable (Duration) async throws -> Void

    /// The loader.
    /// - Parameter sleep: waits and throws `CancellationError` when the task is cancelled; a test gives its own.
    package init(sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }) {
        self.sleep = sleep
    }

    /// Waits in at most 100 steps of at least 50 ms and reports after each.
    /// - Throws: `LoaderFailure` with `invalidData` for an argument of another form; `CancellationError`.
    package func run(_ job: JobContext) async throws -> LoaderResult {
        let total = try Self.duration(of: job.argument)
        let step = max(total / 100, .milliseconds(50))
        var slept = Duration.zero
        while slept < total {
            let next = min(step, total - slept)
            try await sleep(next)
            slept += next
            job.report(JobProgress(percent: UInt8(min(slept / total * 100, 100))))
        }
        return LoaderResult()
    }

    static func duration(of argument: [UInt8]) throws(LoaderFailure) -> Duration {
        let text = String(decoding: argument, as: UTF8.self)
        var seconds: Double?
        if let milliseconds = UInt64(text) {
            seconds = Double(milliseconds) / 1_000
        } else if let decoded = try? JSONDecoder().decode(Argument.self, from: Data(argument)) {
            seconds = decoded.seconds
        }
        guard let seconds, seconds >= 0, seconds <= 86_400 else {
            let form = "milliseconds such as 250, or {\"seconds\":0.25}, at most a day"
            // What it got instead may be secret.
            let count = argument.count == 1 ? "1 byte" : "\(argument.count) bytes"
            let got = argument.isEmpty ? "nothing" : "\(count) that are neither"
            throw LoaderFailure(.invalidData, "sleep takes \(form), and got \(got)")
        }
        return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
    }
}

/// Answers each job with its argument; for measuring the way there and back.
package struct NoopLoader: BulkLoader {
    /// `noop`.
    package let name = LoaderName.noop

    /// The loader; it has no settings.
    package init() {}

    /// Each outcome is the job's argument.
    package func run(_ jobs: BulkJobs, into outcomes: inout BulkOutcomes) {
        for job in jobs { outcomes.succeed(job.argument) }
    }
}
