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
        discussion: "Example: gantry status")

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

/// `gantry workers`: prints who is attached, how many slots are taken, what they offer.
struct WorkersCommand: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers", abstract: "List the workers.",
        discussion: "Example: gantry workers --output json")

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let options = options
        try await options.withClient("workers") { client in
            let workers = try await client.current(.workers).workers
            var table = TextTable("worker", "state", "slots", "ahead", "process", "loaders")
            for worker in workers {
                table.add(
                    worker.name, worker.state.rawValue, "\(worker.slotsTaken)/\(worker.slots)", String(worker.prefetched),
                    String(worker.processID),
                    worker.loaders.joined(separator: " "))
            }
            let shown = workers.map(\.json)
            try options.show(
                items: shown.map(\.text), json: JSONValue.workers(workers).text, table: table.text(columns: options.printing.columns))
            if workers.isEmpty { options.notice("no worker is registered; start one with: gantry worker") }
        }
    }
}
