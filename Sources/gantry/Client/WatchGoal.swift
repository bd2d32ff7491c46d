//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model

/// When `gantry watch` ends by itself.
enum WatchGoal: ExpressibleByArgument, Hashable, Sendable {
    /// Nothing is being done.
    case idle
    /// There is content and nothing is being done; a job has succeeded.
    case loaded
    /// Something failed.
    case failed
    /// At least so many changes.
    case sequence(UInt64)

    init?(argument: String) {
        switch argument {
        case "idle": self = .idle
        case "loaded": self = .loaded
        case "failed": self = .failed
        default:
            guard let number = UInt64(argument) else { return nil }
            self = .sequence(number)
        }
    }

    /// Whether a verified state is what is waited for.
    func isReached(by state: TopicState) -> Bool {
        switch self {
        case .idle: Self.isIdle(state)
        case .loaded: Self.isLoaded(state)
        case .failed:
            state.feed?.failure != nil || state.view?.failure != nil || state.job?.state == .failed || state.job?.state == .quarantined
        case .sequence(let number): state.sequence.rawValue >= number
        }
    }

    private static func isIdle(_ state: TopicState) -> Bool {
        if let feed = state.feed { return feed.activity == .idle }
        if let view = state.view {
            if case .loading = view.detail { return false }
            return view.sorting == nil
        }
        if let job = state.job { return job.state.isFinal }
        if let counts = state.counts { return counts.waiting + counts.running + counts.cancelling == 0 }
        return !state.workers.contains { $0.slotsTaken > 0 }
    }

    private static func isLoaded(_ state: TopicState) -> Bool {
        if let feed = state.feed { return feed.content != nil && feed.activity == .idle && feed.failure == nil }
        if let view = state.view { return view.revision != nil && isIdle(state) }
        return state.job?.state == .succeeded
    }
}
