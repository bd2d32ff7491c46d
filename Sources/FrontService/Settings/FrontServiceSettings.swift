//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import FrontCore
package import GantryModel

/// What a front process is started with.
package struct FrontServiceSettings: Sendable {
    /// The data folder: `journal/`, `objects/`, `run/`, `front.lock`.
    package var folder: String
    /// Where it is reached.
    package var endpoints: FrontEndpoints
    /// The feeds of the configuration.
    package var feeds: [FeedDefinition] = []
    /// What it says of limits and clients.
    package var flow = FlowSettings()
    /// What it says of jobs that have ended.
    package var retention = JobRetention()
    /// What the front was started with, in the words of who starts it, for who asks; noted in `run/started-with.json`. nil: nothing is noted.
    package var startedWith: String?
    /// Whether jobs are journaled.
    package var durability = FrontSettings.Durability.full
    /// The program's version, for people.
    package var version = "0.1.0"
    /// The token that every peer must send; nil: the transport proves the sender (ipc), and the front does not listen on TCP.
    package var token: SharedToken?
    /// Bounds of the front.
    package var bounds = Bounds()
    /// How the loop reads, gathers and sends.
    package var loop = LoopSettings()
    /// From one collection to the next of objects that nobody names.
    package var collectPause = Duration.seconds(600)
    /// How long it waits at its start for whoever reads or copies the journal: longer than a copy of a usual one takes. A reader that holds it for
    /// longer is no reason to end for good either: whoever watches over the front starts it again.
    package var journalWait = Duration.seconds(10)
    /// Takes a line for people about something that the front noticed; called on the thread that decides, which it must not hold up.
    package var onNotice: @Sendable (String) -> Void = { _ in }
    /// Takes what the loop refused or dropped, for a log; called on the same thread. nil: no log.
    package var onLoopNote: (@Sendable (LoopNote) -> Void)?

    /// The defaults for a folder.
    package init(folder: String, endpoints: FrontEndpoints) {
        self.folder = folder
        self.endpoints = endpoints
    }
}

/// A front that serves: who it is and where it is reached.
package struct FrontReady: Hashable, Sendable {
    /// The installation.
    package var front: FrontID
    /// Its epoch.
    package var epoch: Epoch
    /// The addresses that are really bound.
    package var endpoints: FrontEndpoints

    package init(front: FrontID, epoch: Epoch, endpoints: FrontEndpoints) {
        self.front = front
        self.epoch = epoch
        self.endpoints = endpoints
    }
}

/// Where a front is reached; each an `ipc://` path or a loopback `tcp://` address.
package struct FrontEndpoints: Hashable, Sendable {
    /// Clients' requests.
    package var requests: String
    /// Published changes.
    package var changes: String
    /// Workers.
    package var workers: String
    /// Pages of lists.
    package var pages: String

    /// Joins the four addresses.
    package init(requests: String, changes: String, workers: String, pages: String) {
        self.requests = requests
        self.changes = changes
        self.workers = workers
        self.pages = pages
    }
}
