//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry job reprioritize`: a waiting job goes before or behind others.
struct JobReprioritize: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprioritize", abstract: "Give a waiting job another priority.",
        discussion: """
            It then stands in line as if it had been submitted with that priority: what it has waited counts. A job that runs or has \
            ended is refused.

            Example: gantry job reprioritize 42 --priority 9
            """)

    @OptionGroup var argument: JobArgument

    @Option(name: .long, help: "0 to 9, 9 most urgent.")
    var priority: UInt8

    @OptionGroup var options: FrontOptions

    func run() async throws {
        try Self.check("--priority", priority, 0...JobPriority.highest)
        let (options, id, priority) = (options, argument.id, priority)
        try await options.withClient("job reprioritize") { client in
            do {
                try await client.reprioritize(id, to: priority)
            } catch let error as ClientError where error.code == ClientErrorCode(.unknownItem) {
                throw CommandFailure(.notFound, code: .notFound, message: error.context, nextStep: "gantry job list")
            } catch let error as ClientError where error.code == ClientErrorCode(.conflict) {
                throw CommandFailure(.conflict, code: .conflict, message: error.context, nextStep: "gantry job explain \(id)")
            }
            try options.show(Self.json(id, priority).text, Self.text(id, priority))
        }
    }

    /// For people.
    static func text(_ job: JobID, _ priority: UInt8) -> String { "job \(job): priority \(priority)" }

    /// For programs.
    static func json(_ job: JobID, _ priority: UInt8) -> JSONValue {
        .object(("job", .string(job.description)), ("priority", .count(UInt64(priority))))
    }
}
