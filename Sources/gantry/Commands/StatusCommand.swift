//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// `gantry status`: one screen: alive, consuming, oldest wait, failures by cause.
struct StatusCommand: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show overall health and a suggested next command.",
        discussion: """
            front: how long it has run and whether its disk has room. workers: how many take jobs. jobs: by state, with the longest \
            wait. unoffered: waiting jobs whose loader no worker offers. paused: what is, by whom. failures: failed and quarantined jobs that \
            none repeats, by code. next: what helps most now; then: what helps besides.

            Example: gantry status
            """)

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, folder) = (options, try options.connection.place().folder)
        try await options.withClient("status") { client in
            var status = try await FrontStatus(client, folder: folder)
            status.place = options.connection.words
            try options.show(status.json.text, status.text(isShort: options.printing.columns != nil))
        }
    }
}

/// `gantry watch`: each replica computes its own checksum and says whether it is verified.
struct WatchCommand: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print every change of feeds, jobs, workers and the front as it comes.",
        discussion: """
            Each line begins with its time in UTC. Where only jobs are watched it ends once all have ended, with the code of gantry job wait: \
            that of the first that did not succeed, and 5 where --timeout is over before.

            Example: gantry watch job/42
            Example: gantry watch products --output jsonl --until loaded --timeout 30s
            """)

    @Argument(help: "Topics: a feed's name or key, feed/KEY, view/KEY/NAME, job/ID, \(FrontTopic.shown). None: front, workers, jobs.")
    var topics: [String] = []

    @Option(name: .long, help: "End once the topic is idle, loaded or failed, or has this sequence number.")
    var until: WatchGoal?

    @Option(name: .long, help: "End after so many lines, 1 or more.")
    var count: Int?

    @Flag(name: .long, help: .hidden)
    var withoutResync = false

    @OptionGroup var options: FrontOptions

    func run() async throws {
        guard count.map({ $0 > 0 }) ?? true else { throw ValidationError("--count is at least 1") }
        let (options, topics, resyncs) = (options, topics, !withoutResync)
        let watching = Watching(options: options, goal: until, count: count, resyncs: resyncs)
        try await options.withClient("watch", resyncs: resyncs, leaving: .stoppedWatching) { client in
            var places: [Topic] = []
            for name in topics.isEmpty ? ["front", "workers", "jobs"] : topics {
                let topic = try await client.topic(named: name)
                // Named twice, it would be printed twice.
                if !places.contains(topic) { places.append(topic) }
            }
            if let goal = watching.goal, !places.contains(where: goal.canCome) { throw goal.failure(of: places) }
            try await watching.run(client, places)
        }
    }
}
