//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed reset`: the feed is then as if nobody had touched it.
struct FeedReset: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Cancel what runs and forget content, failure and selection.",
        discussion: """
            Items of an editable feed that you made or changed stay, unless you say that they may go: no load brings them back.

            Example: gantry feed reset products
            """)

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @Flag(name: .long, help: "Drop items that were made or changed by hand, too.")
    var dropManual = false

    func run() async throws {
        let (options, key, dropsManual) = (options, try feed.key(), dropManual)
        try await options.withClient("feed reset") { client in
            let manual = try await ManualItems(of: key, mayBeUnknown: dropsManual, client)
            if !dropsManual, let refusal = manual.refusal { throw refusal }
            // What was saved since it was looked at, or is being saved, is dropped by nobody who has not said so.
            let answer = try await client.reset(key, version: dropsManual ? nil : manual.version)
            try await FeedWork(client: client, options: options).finish(answer, "reset", noWait: false, dropped: manual)
        }
    }
}
