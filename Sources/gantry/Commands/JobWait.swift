//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry job wait`: progress goes to standard error, the last state to standard output.
struct JobWait: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until a job has ended.",
        discussion: "Example: gantry job wait 42 --timeout 60s")

    @OptionGroup var argument: JobArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, id) = (options, argument.id)
        try await options.withClient("job wait", leaving: .stoppedWaiting(for: [id])) { client in
            let ended = try await options.followed(id, client)
            try options.show(ended.json().text, "\(id): \(ended.line())")
            if let failure = CommandFailure(ended) { throw failure }
        }
    }
}
