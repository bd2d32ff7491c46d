//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import FeedSettings
public import Model

/// What a `gantry.yaml` says, checked and with defaults filled in; knows nothing of files, flags or the environment.
public struct GantryConfiguration: Hashable, Sendable {
    /// The data folder as written; nil: the default place.
    public var data: String?
    /// Where the http loader may go although the address is loopback or private.
    public var allow: [AllowedAddress]
    /// What bounds each transfer.
    public var http: HTTPLimits
    /// The feeds in the order of the file, each name once.
    public var feeds: [ConfiguredFeed]
    /// How many workers `up` starts, 1 to 256.
    public var workers: Int
    /// How many jobs a worker runs at once, 1 to 64.
    public var slots: Int

    /// A configuration without feeds.
    public init() {
        allow = []
        http = HTTPLimits()
        feeds = []
        workers = 2
        slots = 4
    }

    /// What the front decides by, in the order of the file.
    public var definitions: [FeedDefinition] { feeds.map(\.definition) }
}
