//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryWorker

/// The job that README.md shows, as its worker, as who submits it and as who watches: the lines there are cut out of here.
///
/// `swift run JobExample work DATA` needs a front whose data folder that is; `swift run JobExample submit TEXT` and
/// `swift run JobExample watch` find the front as the command line does.
@main
enum JobExample {
    static func main() async {
        do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
            // An error that leaves `main` would end the program with a crash report.
            print("error: \(error)")
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws {
        switch (words.first, words.count) {
        case ("work", 2): try await work(for: words[1])
        case ("submit", 2): try await submit(words[1])
        case ("watch", 1): try await watch()
        default: print("usage: JobExample work DATA | submit TEXT | watch    (GANTRY_DATA names the front's folder)")
        }
    }

    struct Shout: TypedJob {
        typealias Result = String
        static let loaderName = "shout"
        var text: String
    }

    private static func work(for folder: String) async throws {
        let shouter = JobHandler(for: Shout.self) { job, context in job.text.uppercased() }
        let configuration = try WorkerConfiguration(ofFront: folder, name: "shouter")
        try await Worker(configuration, loaders: [shouter]).runUntilSignal()
    }

    private static func submit(_ text: String) async throws {
        let client = try await GantryClient()
        print(try await client.run(Shout(text: text)))
        await client.close()
    }

    private static func watch() async throws {
        let client = try await GantryClient()
        for await state in client.observe(.jobs) where state.isVerified {
            guard let counts = state.counts else { continue }
            print("\(counts.waiting) wait, \(counts.running) run, \(counts.succeeded) have succeeded")
            if counts.waiting + counts.running == 0 { break }
        }
        await client.close()
    }
}
