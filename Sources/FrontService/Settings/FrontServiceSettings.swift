//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import FrontCore
public import GantryModel

/// What a front process is started with.
public struct FrontServiceSettings: Sendable {
    /// The data folder: `journal/`, `objects/`, `run/`, `front.lock`.
    public var folder: String
    /// Where it is reached.
    public var endpoints: FrontEndpoints
    /// The feeds of the configuration.
    public var feeds: [FeedDefinition] = []
    /// What the front was started with, in the words of who starts it, for who asks; noted in `run/started-with.json`. nil: nothing is noted.
    public var startedWith: String?
    /// Whether jobs are journalled.
    public var durability = FrontSettings.Durability.full
    /// The program's version, for people.
    public var version = "0.1.0"
    /// What everybody has to know who speaks to the front; nil: the transport proves who speaks (ipc), and the front listens to no TCP.
    public var token: SharedToken?
    /// Bounds of the front.
    public var bounds = Bounds()
    /// How the loop reads, gathers and sends.
    public var loop = LoopSettings()
    /// From one collection to the next of objects that nobody names.
    public var collectPause = Duration.seconds(600)
    /// Takes a line for people about something that the front noticed; called on the thread that decides, which it must not hold up.
    public var onNotice: @Sendable (String) -> Void = { _ in }
    /// Takes what the loop refused, dropped or gave up, for a log; called on the same thread. nil: nobody reads it.
    public var onLoopNote: (@Sendable (LoopNote) -> Void)?

    /// The defaults for a folder.
    public init(folder: String, endpoints: FrontEndpoints) {
        self.folder = folder
        self.endpoints = endpoints
    }
}

/// A front that serves: who it is and where it is reached.
public struct FrontReady: Hashable, Sendable {
    /// The installation.
    public var front: FrontID
    /// Its life.
    public var epoch: Epoch
    /// The addresses that are really bound.
    public var endpoints: FrontEndpoints

    public init(front: FrontID, epoch: Epoch, endpoints: FrontEndpoints) {
        self.front = front
        self.epoch = epoch
        self.endpoints = endpoints
    }
}

/// Where a front is reached; each an `ipc://` path or a loopback `tcp://` address.
public struct FrontEndpoints: Hashable, Sendable {
    /// Clients' requests.
    public var requests: String
    /// Published changes.
    public var changes: String
    /// Workers.
    public var workers: String
    /// Pages of lists.
    public var pages: String

    /// Joins the four addresses.
    public init(requests: String, changes: String, workers: String, pages: String) {
        self.requests = requests
        self.changes = changes
        self.workers = workers
        self.pages = pages
    }
}
