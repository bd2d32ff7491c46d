//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry job show`: prints the job as observers see it.
struct JobShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a job.",
        discussion: "\(JobCommand.kept)\n\nExample: gantry job show 42 --output json")

    @OptionGroup var argument: JobArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, id) = (options, argument.id)
        try await options.withClient("job show") { client in
            let explanation = try await client.explain(id)
            let lines = ["\(id): \(explanation.job.line())"] + explanation.byteLines
            try options.show(explanation.jobJSON.text, lines.joined(separator: "\n"))
        }
    }
}
