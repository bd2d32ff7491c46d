//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What the front is asked, and how what comes back is read: no caller lists the answers that cannot come.
struct TypedRequest<Value: Sendable>: Sendable {
    /// What is sent to the client's loop, under the call's id.
    let command: @Sendable (CallID) -> ClientCommand
    /// Whether the end of a job that is submitted is waited for, and not only its acceptance.
    let awaitsOutcome: Bool
    /// What an answer says; nil: it does not fit the request.
    let value: @Sendable (Answer) -> Value?

    private init(
        awaitsOutcome: Bool = false, _ command: @escaping @Sendable (CallID) -> ClientCommand,
        _ value: @escaping @Sendable (Answer) -> Value?
    ) {
        (self.command, self.awaitsOutcome, self.value) = (command, awaitsOutcome, value)
    }

    /// A request that a reply answers, with the feed that it names.
    init(_ body: RequestBody, _ value: @escaping @Sendable (_ reply: Reply, _ feed: FeedKey?) -> Value?) {
        self.init({ .request($0, body) }, { if case .reply(let reply, let feed) = $0 { value(reply, feed) } else { nil } })
    }
}

extension TypedRequest where Value == AcceptedJobs {
    /// The acceptance of jobs.
    static func submit(_ batch: JobBatch) -> Self {
        Self({ .submit($0, batch) }) {
            if case .accepted(let first, let count, let acceptance) = $0 { AcceptedJobs(first, count, acceptance) } else { nil }
        }
    }
}

extension TypedRequest where Value == JobOutcome {
    /// The end of a job.
    static func outcome(of batch: JobBatch) -> Self {
        Self(awaitsOutcome: true, { .submit($0, batch) }) {
            if case .ended(let job, let state, let result) = $0 { JobOutcome(job: job, state: state, result: result) } else { nil }
        }
    }
}

extension TypedRequest where Value == PageReply {
    /// A page.
    static func page(_ question: PageRequest) -> Self {
        Self({ .page($0, question) }, { if case .page(let reply) = $0 { reply } else { nil } })
    }
}

extension TypedRequest where Value == FeedAnswer {
    /// A change of a feed or view: a job makes it, or it is done at once.
    static func change(_ body: RequestBody) -> Self {
        Self(body) { reply, feed in
            guard let feed else { return nil }
            if case .accepted(let job, let joined) = reply { return FeedAnswer(job: job, joined: joined, version: nil, feed: feed) }
            if case .done(let version) = reply { return FeedAnswer(job: nil, joined: false, version: version, feed: feed) }
            return nil
        }
    }
}

extension TypedRequest where Value == CancelAnswer {
    /// The end of a job.
    static func cancel(_ job: JobID) -> Self { ending(.job(.cancel(job))) }

    /// The end of a feed's load.
    static func cancelLoad(_ key: FeedKey, only job: JobID?) -> Self { ending(.feed(key, .cancelLoad(only: job))) }

    private static func ending(_ body: RequestBody) -> Self {
        Self(body) { reply, _ in
            if case .cancelling(let job) = reply { return .requested(job) }
            if case .alreadyEnded(let job, let state) = reply { return .alreadyEnded(job, state) }
            return nil
        }
    }
}

extension TypedRequest where Value == JobPage {
    /// A page of jobs.
    static func jobs(_ query: JobQuery) -> Self {
        Self(.job(.list(query))) { reply, _ in
            if case .jobs(let jobs, let next, let retention) = reply { JobPage(jobs: jobs, next: next, retention: retention) } else { nil }
        }
    }
}

extension TypedRequest where Value == SelectedJobs {
    /// Something with all jobs of a selection, or their number.
    static func selected(_ bulk: BulkRequest) -> Self {
        Self(.job(.bulk(bulk))) { reply, _ in
            if case .selected(let bulk, let jobs, let next) = reply { (bulk, jobs, next) } else { nil }
        }
    }
}

/// The number of an action with many jobs, how many jobs were counted, and where the count goes on.
typealias SelectedJobs = (bulk: UInt64, jobs: UInt64, next: JobID?)

extension TypedRequest where Value == JobExplanation {
    /// Why a job is where it is.
    static func explain(_ job: JobID) -> Self {
        Self(.job(.explain(job))) { reply, _ in if case .explanation(let explanation) = reply { explanation } else { nil } }
    }
}

extension TypedRequest where Value == FeedPageOfStates {
    /// A page of the feeds.
    static func feeds(after key: FeedKey?) -> Self {
        Self(.listFeeds(after: key)) { reply, _ in if case .feeds(let feeds, let next) = reply { (feeds, next) } else { nil } }
    }
}

/// Live feeds by key, and the one after which the next page begins.
typealias FeedPageOfStates = (feeds: [FeedState], next: FeedKey?)
