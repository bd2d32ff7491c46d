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
            wait. unoffered: waiting jobs whose loader no worker offers. failures: by code. next: what helps most now.

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
