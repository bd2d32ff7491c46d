//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// The root of all commands; new ones are added to its list, in the order of the help.
struct GantryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gantry",
        abstract: "Gantry is a durable job queue for one Linux machine, with a state that everybody can watch live.",
        discussion: """
            Exit codes: 0 done, 1 internal, 3 failed, 4 cancelled, 5 timed out, 6 not found, 7 not connected, 8 busy, \
            9 conflict, 10 invalid data, 64 usage, 73 cannot write, 78 configuration, 130 detached.

            Example: gantry doctor
            """,
        version: "0.1.0",
        subcommands: [
            UpCommand.self, FeedCommand.self, JobCommand.self, WatchCommand.self, StatusCommand.self, CacheCommand.self,
            LimitCommand.self, LoaderCommand.self, FrontServiceCommand.self, WorkerCommand.self, SampleOriginCommand.self,
            BenchCommand.self, DoctorCommand.self, KillTimerProbe.self,
        ])
}
