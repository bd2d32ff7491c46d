//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry job retry`: ended jobs are submitted once more; prints the new ids once they are durable.
struct JobRetry: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Submit jobs once more that failed, were cancelled or quarantined, or expired.",
        discussion: """
            Each becomes a new job with the same argument, priority, tags and attempts, whose `retryOf` names the old one: what is final \
            stays final. All jobs are looked at before the first is submitted. A job that has not ended, has succeeded or works for a feed \
            is refused. The new job takes the unique key over that the old one still has; where another job has it, it joins that, or is \
            refused with code 9, as a submit is.

            Example: gantry job retry 42 43 --wait
            """)

    @Argument(help: "The ids of the jobs, as `gantry job list` shows them.")
    var jobs: [UInt64]

    @Flag(name: .long, help: "Wait until every new job has ended; the code is that of the first that did not succeed.")
    var wait = false

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let named = Dictionary(grouping: jobs) { $0 }
        if let twice = jobs.first(where: { named[$0]?.count != 1 }) { throw ValidationError("job \(twice) is named twice: name each once") }
        let (options, jobs, wait) = (options, jobs.map { JobID($0) }, wait)
        let printsAtOnce = !wait && options.printing.output != .json
        try await options.withClient("job retry") { client in
            var batches: [JobBatch] = []
            for job in jobs { batches.append(try await client.repetition(of: job)) }
            let accepted = SubmittedJobs()
            do {
                for batch in batches {
                    let submitted = try await client.submit(batch)
                    accepted.take(submitted, printsAtOnce ? options : nil)
                    try await options.note(submitted, client, mayHaveEnded: wait)
                }
                if wait { try await accepted.follow(client, options) }
            } catch {
                // What was accepted runs whatever becomes of this command, so it must be known.
                try accepted.showRest(options)
                throw error
            }
            try accepted.showRest(options)
        }
    }
}
