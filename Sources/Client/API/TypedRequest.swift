//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A request and how its reply is read, so that no caller lists the replies that cannot come.
struct TypedRequest<Answer: Sendable>: Sendable {
    let body: RequestBody
    /// What a reply says, with the feed that it names; nil: it does not fit the request.
    let answer: @Sendable (_ reply: Reply, _ feed: FeedKey?) -> Answer?
}

extension TypedRequest where Answer == FeedAnswer {
    /// A change of a feed or view: a job makes it, or it is done at once.
    static func change(_ body: RequestBody) -> Self {
        Self(body: body) { reply, feed in
            if case .accepted(let job, let joined) = reply { return FeedAnswer(job: job, joined: joined, version: nil, feed: feed) }
            if case .done(let version) = reply { return FeedAnswer(job: nil, joined: false, version: version, feed: feed) }
            return nil
        }
    }
}

extension TypedRequest where Answer == CancelAnswer {
    /// The end of a job.
    static func cancel(_ job: JobID) -> Self { ending(.cancel(job)) }

    /// The end of a feed's load.
    static func cancelLoad(_ key: FeedKey, only job: JobID?) -> Self { ending(.cancelLoad(key, only: job)) }

    private static func ending(_ body: RequestBody) -> Self {
        Self(body: body) { reply, _ in
            if case .cancelling(let job) = reply { return .requested(job) }
            if case .alreadyEnded(let job, let state) = reply { return .alreadyEnded(job, state) }
            return nil
        }
    }
}

extension TypedRequest where Answer == JobPage {
    /// A page of jobs.
    static func jobs(_ query: JobQuery) -> Self {
        Self(body: .listJobs(query)) { reply, _ in
            if case .jobs(let jobs, let next) = reply { JobPage(jobs: jobs, next: next) } else { nil }
        }
    }
}

extension TypedRequest where Answer == JobExplanation {
    /// Why a job is where it is.
    static func explain(_ job: JobID) -> Self {
        Self(body: .explain(job)) { reply, _ in if case .explanation(let explanation) = reply { explanation } else { nil } }
    }
}

extension TypedRequest where Answer == FeedPageOfStates {
    /// A page of the live feeds.
    static func feeds(after key: FeedKey?) -> Self {
        Self(body: .listFeeds(after: key)) { reply, _ in if case .feeds(let feeds, let next) = reply { (feeds, next) } else { nil } }
    }
}

extension TypedRequest where Answer == FeedKey {
    /// The key under which the front knows a feed.
    static func resolve(_ key: FeedKey) -> Self { Self(body: .resolve(key)) { _, feed in feed } }
}

/// Live feeds by key, and the one after which the next page begins.
typealias FeedPageOfStates = (feeds: [FeedState], next: FeedKey?)
