//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// `gantry bench`: measures, each time with processes and a folder of its own.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure jobs, the queue, loading and large lists, with processes and a folder of its own.",
        discussion: """
            Each prints one line like those of the peers' benchmarks. Without a subcommand: jobs.

            Example: gantry bench --durability memory --jobs 20000
            """,
        subcommands: [BenchJobs.self, BenchQueue.self, BenchLoading.self, BenchList.self], defaultSubcommand: BenchJobs.self)
}
