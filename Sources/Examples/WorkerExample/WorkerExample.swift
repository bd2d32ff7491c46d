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
        let folder = CommandLine.arguments.dropFirst().first ?? "/var/lib/gantry"
        let configuration = try WorkerConfiguration(ofFront: folder, name: "greeter", slots: 2)
        let loaders: [any Loader] = [Greeter(), wordCounter, Copier(folder: "/tmp")]
        try await Worker(configuration, loaders: loaders, bulkLoaders: [Shout()]).runUntilSignal()
    }
}
