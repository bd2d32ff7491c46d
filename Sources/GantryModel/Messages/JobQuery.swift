//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which jobs to list, or to do something with.
public struct JobQuery: Hashable, Sendable {
    /// Only jobs in this state; nil: all.
    public var state: JobState?
    /// Only jobs of this loader; empty: all.
    public var loader: String
    /// Only jobs of this feed, by its name or its whole key; empty: all.
    public var feed: String
    /// Only jobs that failed with that, or whose last attempt did; nil: all.
    public var code: FailureCode?
    /// Only jobs that have all of these tags; none: all.
    public var tags: [String]
    /// Only jobs whose state changed last before that, by their acceptance, their last grant or their end; nil: all.
    public var changedBefore: WallTime?
    /// At most this many, 1 to 1,000.
    public var limit: UInt32
    /// Only jobs older than this one: the `next` of the page before; nil: from the newest.
    public var before: JobID?

    /// A query.
    public init(
        state: JobState? = nil, loader: String = "", feed: String = "", code: FailureCode? = nil, tags: [String] = [],
        changedBefore: WallTime? = nil, limit: UInt32 = 50, before: JobID? = nil
    ) {
        (self.state, self.loader, self.feed, self.code, self.tags) = (state, loader, feed, code, tags)
        (self.changedBefore, self.limit, self.before) = (changedBefore, limit, before)
    }

    /// What is wrong with what it looks for, as a sentence; nil: nothing.
    package var fault: String? {
        if let fault = JobOptions(tags: tags).fault { return fault }
        guard byteCount > Self.byteCountLimit else { return nil }
        return "the texts that choose jobs have at most \(Self.byteCountLimit) bytes together, not \(byteCount)"
    }

    /// Most bytes of the texts in it: an action with many jobs writes them down again with each turn.
    package static let byteCountLimit = 4_096

    /// Whether it chooses among all jobs.
    package var isSelective: Bool {
        state != nil || !loader.isEmpty || !feed.isEmpty || code != nil || !tags.isEmpty || changedBefore != nil
    }

    /// Whether a job of that feed is one.
    package func admits(_ key: FeedKey?) -> Bool {
        guard !feed.isEmpty else { return true }
        return key.map { $0.name == feed || $0.text == feed } ?? false
    }

    /// Bytes of the texts in it.
    package var byteCount: Int {
        tags.reduce(loader.utf8.count + feed.utf8.count + (code?.rawValue.utf8.count ?? 0)) { $0 + $1.utf8.count }
    }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(state.map { UInt64($0.rawValue) })
        print.add(loader)
        print.add(feed)
        print.add(code?.rawValue)
        for tag in tags { print.add(tag) }
        print.add(changedBefore.map { UInt64(bitPattern: $0.milliseconds) })
        print.add(UInt64(limit))
        print.add(before?.rawValue)
    }
}
