//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry feed show`: prints what there is, what is being done, what went wrong.
struct FeedShow: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the state of a feed and of one of its views.",
        discussion: "Example: gantry feed show products --output json")

    @OptionGroup var feed: FeedArguments
    @OptionGroup var options: FrontOptions
    @OptionGroup var view: ViewArguments

    func run() async throws {
        let (options, key, name) = (options, try feed.key(), try view.name())
        try await options.withClient("feed show") { client in
            let state = try await client.current(.feed(key))
            let place = state.feedKey ?? key
            guard let feed = state.feed else {
                throw CommandFailure(
                    .notFound, code: .notFound, message: "feed \(place) is not live", nextStep: "gantry feed load \(place.shellWord)")
            }
            let view = try await client.current(.view(place, name)).view
            var shown = ShownFeed(feed, progress: state.progress)
            shown.view = view
            var text = "\(place): \(feed.line(progress: state.progress)), \(state.place(isShort: options.printing.columns != nil))"
            if let view { text += "\n\(place)/\(name): \(view.line)" }
            try options.show(shown.json.text, text)
        }
    }
}
