//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed list`: live are feeds that somebody has touched.
struct FeedList: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the live feeds.",
        discussion: "Example: gantry feed list --output json")

    @OptionGroup var options: FrontOptions

    func run() async throws {
        let options = options
        try await options.withClient("feed list") { client in
            let feeds = try await client.listFeeds()
            var table = TextTable("feed", "state")
            // A terminal would cut the reason of a failure: there it stands below.
            let isShort = options.printing.columns != nil
            for feed in feeds {
                table.add(feed.key.text, isShort ? feed.shortLine() : feed.line(), note: isShort ? feed.failure?.text : nil)
            }
            let shown = feeds.map { $0.json() }
            try options.show(
                items: shown.map(\.text), json: JSONValue.feeds(feeds).text, table: table.text(columns: options.printing.columns))
        }
    }
}
