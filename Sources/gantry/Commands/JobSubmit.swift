//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry job submit`: prints the ids once they are durable.
struct JobSubmit: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit jobs.",
        discussion: """
            When jobs are refused half-way, the ids of those that were accepted before are printed first.

            Example: gantry job submit sleep --argument 250 --wait
            """)

    @Argument(help: "The loader to run.")
    var loader: String

    @Option(name: .long, help: "What the loader gets, at most 65,536 bytes.")
    var argument = ""

    @Option(name: .long, help: "0 to 9, 9 most urgent.")
    var priority: UInt8 = 5

    @Option(name: .long, help: "How many such jobs, 1 to 1,000,000.")
    var count = 1

    @Flag(name: .long, help: "Wait until every job has ended; the code is that of the first that did not succeed.")
    var wait = false

    @OptionGroup var options: FrontOptions

    func run() async throws {
        guard priority <= 9, (1...1_000_000).contains(count) else { throw ValidationError("--priority is 0 to 9, --count 1 to 1,000,000") }
        let (options, loader, priority, wait) = (options, loader, priority, wait)
        let arguments = [[UInt8]](repeating: Array(argument.utf8), count: count)
        try await options.withClient("job submit") { client in
            let accepted = AcceptedJobs()
            do {
                _ = try await client.submit(loader: loader, arguments: arguments, priority: priority) { accepted.add($0) }
                if wait { try await accepted.follow(client, options) }
            } catch {
                // What was accepted runs whatever becomes of this command, so it must be known.
                try accepted.showRest(options)
                throw error
            }
            if !wait { try accepted.showRest(options) }
        }
    }
}
