//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

// The example of the documentation; keep both equal.
import GantryModel
import GantryWorker

struct Greeter: Loader {
    let name = "greet"

    func run(_ job: JobContext) async throws -> LoaderResult {
        job.report(JobProgress(percent: 50, message: "thinking"))
        guard !job.argument.isEmpty else { throw LoaderFailure(.invalidData, "nobody to greet: submit a name") }
        return LoaderResult(text: "hello \(String(decoding: job.argument, as: UTF8.self))")
    }
}
