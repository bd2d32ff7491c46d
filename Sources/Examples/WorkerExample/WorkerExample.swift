//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
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

@main struct WorkerExample {
    static func main() async throws {
        try Worker.leaveFirstProcess(environment: ProcessInfo.processInfo.environment)
        let endpoint = CommandLine.arguments.dropFirst().first ?? "ipc:///run/gantry/workers"
        let configuration = WorkerConfiguration(endpoint: endpoint, name: "greeter", slots: 2)
        try await Worker(configuration, loaders: [Greeter(), wordCounter, Copier(folder: "/tmp")], bulkLoaders: [Shout()]).run()
    }
}
