//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser

/// `gantry feed`: everything that is done with feeds.
struct FeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Load, look at, order and edit feeds.",
        discussion: "Example: gantry feed load products --param category=electronics",
        subcommands: [
            FeedLoad.self, FeedRefresh.self, FeedShow.self, FeedPageCommand.self, FeedSort.self, FeedSelect.self, FeedCreate.self,
            FeedUpdate.self, FeedCancel.self, FeedReset.self, FeedRetry.self, FeedAttach.self, FeedList.self,
        ])
}
