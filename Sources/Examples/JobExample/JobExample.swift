//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import GantryWorker

/// The job that README.md shows, as a worker and as who submits it: the lines there are cut out of here.
///
/// `swift run JobExample work ENDPOINT` needs a front whose endpoint for workers that is; `swift run JobExample submit TEXT` finds the front as
/// the command line does.
@main
enum JobExample {
    static func main() async throws {
        switch CommandLine.arguments.dropFirst().first {
        case "work": try await work(at: CommandLine.arguments.last ?? "")
        case "submit": try await submit(CommandLine.arguments.last ?? "")
        default: print("usage: JobExample work ENDPOINT | submit TEXT    (GANTRY_DATA names the front's folder)")
        }
    }

    struct Shout: Loader {
        let name = "shout"

        func run(_ job: JobContext) async throws -> LoaderResult {
            LoaderResult(text: String(decoding: job.argument, as: UTF8.self).uppercased())
        }
    }

    private static func work(at endpoint: String) async throws {
        try await Worker(WorkerConfiguration(endpoint: endpoint, name: "shouter"), loaders: [Shout()]).run()
    }

    private static func submit(_ text: String) async throws {
        let client = try await GantryClient()
        let outcome = try await client.submitAndWait(loader: "shout", argument: Array(text.utf8))
        print(outcome.state.name, String(decoding: outcome.result, as: UTF8.self))
        await client.close()
    }
}
