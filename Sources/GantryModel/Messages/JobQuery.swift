//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which jobs to list, or to do something with.
public struct JobQuery: Hashable, Sendable {
    /// Only jobs in this state; nil: all.
    public var state: JobState?
    /// Beside `state`, also jobs in one of these, each named once.
    package var orStates: [JobState] = []
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
        // A front that does not know them would otherwise choose jobs in any state.
        if state == nil, !orStates.isEmpty { return "further states stand beside a first one" }
        if Set(states).count < states.count { return "a state is named twice: name each once" }
        guard byteCount > Self.byteCountLimit else { return nil }
        return "the texts that choose jobs have at most \(Self.byteCountLimit) bytes together, not \(byteCount)"
    }

    /// The states of which jobs are in one; none: all.
    package var states: [JobState] { (state.map { [$0] } ?? []) + orStates }

    /// The same query of jobs in one of some states; none: in any.
    package func of(_ states: [JobState]) -> JobQuery {
        var query = self
        (query.state, query.orStates) = (states.first, Array(states.dropFirst()))
        return query
    }

    /// Whether a job in that state is one.
    package func admits(_ other: JobState) -> Bool { state.map { $0 == other || orStates.contains(other) } ?? true }

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
        for state in orStates { print.add(UInt64(state.rawValue)) }
    }
}

/// What is done with each job of a selection.
package enum BulkAction: Hashable, Sendable {
    /// It ends for everybody.
    case cancel
    /// Where it is scheduled it is due.
    case promote
    /// It waits for another time.
    case delay(JobStart)
    /// It has another priority, 0 to 9.
    case reprioritize(UInt8)
    /// No crash of a worker counts against it.
    case forgive
    /// A new job repeats it. Only this is for jobs that have ended.
    case retry

    /// For people, and for programs as the word that a command has.
    package var word: String {
        switch self {
        case .cancel: "cancel"
        case .promote: "promote"
        case .delay: "delay"
        case .reprioritize: "reprioritize"
        case .forgive: "forgive"
        case .retry: "retry"
        }
    }

    /// What has become of a job with which it was done: jobs that run are still stopping when they are cancelled.
    package var participle: String {
        switch self {
        case .cancel: "cancelled"
        case .promote: "promoted"
        case .delay: "delayed"
        case .reprioritize: "reprioritized"
        case .forgive: "forgiven"
        case .retry: "retried"
        }
    }

    /// The same by its word; of one that only newer fronts can do, a phrase that fits any.
    package static func participle(of word: String) -> String {
        let known: [BulkAction] = [.cancel, .promote, .delay(.now), .reprioritize(JobPriority.usual), .forgive, .retry]
        return known.first { $0.word == word }?.participle ?? "handled (\(word))"
    }

    /// The states of jobs that it can be done with.
    package var states: [JobState] {
        switch self {
        case .cancel: [.waiting, .scheduled, .running]
        case .promote: [.scheduled]
        case .delay, .reprioritize, .forgive: [.waiting, .scheduled]
        case .retry: [.failed, .quarantined, .cancelled, .expired]
        }
    }

    /// The states of the jobs that it is done with where none is named: what somebody has ended on purpose is not repeated by accident.
    package var usualStates: [JobState] { self == .retry ? [.failed, .quarantined] : states }

    /// What is wrong with it at that time, as a sentence; nil: nothing.
    package func fault(at now: WallTime) -> String? {
        switch self {
        case .cancel, .promote, .forgive, .retry: return nil
        case .delay(let start): return start.fault(at: now)
        case .reprioritize(let priority):
            var options = JobOptions()
            options.priority = priority
            return options.fault
        }
    }
}

/// Asks for an action with all jobs of a selection, or for their number.
package struct BulkRequest: Hashable, Sendable {
    /// Which jobs; how many does not matter.
    package var selection: JobQuery
    /// What is done with each.
    package var action: BulkAction
    /// Whether they are only counted: as many as one turn looks at, from `selection.before` on.
    package var isDry: Bool

    /// That action with those jobs.
    package init(_ action: BulkAction, _ selection: JobQuery, isDry: Bool = false) {
        (self.action, self.selection, self.isDry) = (action, selection, isDry)
    }

    /// What carrying it out does.
    package var effect: RequestBody.Effect { isDry ? .list : action == .cancel ? .cancel : .change }

    /// What is wrong with it at that time, as a sentence; nil: nothing.
    package func fault(at now: WallTime) -> String? {
        if let fault = selection.fault ?? action.fault(at: now) { return fault }
        let wrong = selection.states.filter { !action.states.contains($0) }
        guard !wrong.isEmpty else { return nil }
        func names(_ states: [JobState]) -> String { states.map(\.name).joined(separator: ", ") }
        return "\(action.word) is for jobs that are \(names(action.states)), not for those that are \(names(wrong))"
    }

    /// Adds what is asked.
    func add(to print: inout Fingerprint) {
        selection.add(to: &print)
        print.add(isDry ? 1 : 0)
        print.add(action.word)
        switch action {
        case .cancel, .promote, .forgive, .retry: break
        case .delay(let start): start.add(to: &print)
        case .reprioritize(let priority): print.add(UInt64(priority))
        }
    }
}
