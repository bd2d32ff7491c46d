//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which jobs to list.
public struct JobQuery: Hashable, Sendable {
    /// Only jobs in this state; nil: all.
    public var state: JobState?
    /// Only jobs of this loader; empty: all.
    public var loader: String
    /// Only jobs that have all of these tags; none: all.
    public var tags: [String]
    /// At most this many, 1 to 1,000.
    public var limit: UInt32
    /// Only jobs older than this one: the `next` of the page before; nil: from the newest.
    public var before: JobID?

    /// A query.
    public init(state: JobState? = nil, loader: String = "", tags: [String] = [], limit: UInt32 = 50, before: JobID? = nil) {
        self.state = state
        self.loader = loader
        self.tags = tags
        self.limit = limit
        self.before = before
    }

    /// What is wrong with what it looks for, as a sentence; nil: nothing.
    public var fault: String? { JobOptions(tags: tags).fault }

    /// Bytes of the texts in it.
    var byteCount: Int { tags.reduce(loader.utf8.count) { $0 + $1.utf8.count } }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(state.map { UInt64($0.rawValue) })
        print.add(loader)
        for tag in tags { print.add(tag) }
        print.add(UInt64(limit))
        print.add(before?.rawValue)
    }
}
