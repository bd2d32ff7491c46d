//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry job cancel`: waits until the work has really ended and prints the receipt.
struct JobCancel: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a job for everybody.",
        discussion: "Example: gantry job cancel 42")

    @OptionGroup var argument: JobArgument
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Print the job's id once it is durable and do not wait.")
    var noWait = false

    func run() async throws {
        let (options, id, noWait) = (options, argument.id, noWait)
        try await options.withClient("job cancel") { client in
            do {
                try await JobCancelling(client: client, options: options).cancel(id, noWait: noWait)
            } catch let error as ClientError where error.code == ClientErrorCode(.unknownItem) {
                throw CommandFailure(.notFound, code: .notFound, message: error.context, nextStep: "gantry job list")
            }
        }
    }
}
