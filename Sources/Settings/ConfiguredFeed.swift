//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import FeedSettings
public import Model

/// A feed of the configuration: what the front decides by, what the loaders need, and how it is shown.
public struct ConfiguredFeed: Hashable, Sendable {
    /// For the front; its `settings` are the JSON text of `settings`.
    public var definition: FeedDefinition
    /// For the loaders.
    public var settings: LoaderSettings
    /// How screens show it.
    public var screen: Screen

    /// Where its loaders connect to.
    public var addresses: [FeedAddress] {
        [settings.source.flatMap { FeedAddress(.load, $0.url) }, settings.detail.flatMap { FeedAddress(.detail, $0) }].compactMap { $0 }
    }

    /// How screens show a feed.
    public enum Screen: String, Hashable, Sendable, CaseIterable {
        /// Rows under each other.
        case list
        /// Rows, and the selected one's detail beside them.
        case split
        /// Pictures.
        case gallery
    }

    public init(definition: FeedDefinition, settings: LoaderSettings, screen: Screen) {
        self.definition = definition
        self.settings = settings
        self.screen = screen
    }
}
