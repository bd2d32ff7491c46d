//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension RequestBody {
    /// What carrying out a request does. Whoever treats requests alike asks for this, so a new one is classified in one place.
    public enum Effect: Hashable, Sendable {
        /// Makes a job.
        case work
        /// Ends work: possible also while nothing else can be written.
        case cancel
        /// Changes something else.
        case change
        /// Keeps something busy or lets it go; done twice it is as if done once.
        case wish
        /// Reads as much as the state is large.
        case list
        /// Looks one thing up, or is not understood.
        case lookUp
    }

    /// The table of all requests.
    public var effect: Effect {
        switch self {
        case .load, .refresh, .retry, .sort, .filter, .select, .create, .update: .work
        case .cancel, .cancelLoad: .cancel
        case .reset: .change
        case .attach, .detach: .wish
        case .listJobs, .explain, .outcomes, .listFeeds: .list
        case .resolve, .unknown, .unreadable: .lookUp
        }
    }

    /// Whether the reply is kept, because a second run would do something a second time.
    public var changesState: Bool {
        switch effect {
        case .work, .cancel, .change: true
        case .wish, .list, .lookUp: false
        }
    }
}
