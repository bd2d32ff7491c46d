//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
