//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What a session may do, as its hello said.
enum Role: String {
    /// Looks at everything, changes nothing.
    case observe
    /// Changes feeds, views and jobs.
    case request
    /// Does everything.
    case admin

    /// What a request needs.
    enum Right {
        /// It only reads.
        case read
        /// It changes what others see, or keeps something busy.
        case change
    }

    /// The one table of who may do what.
    func has(_ right: Right) -> Bool {
        switch (self, right) {
        case (.observe, .read), (.request, .read), (.request, .change), (.admin, .read), (.admin, .change): true
        case (.observe, .change): false
        }
    }
}

extension RequestBody {
    /// What it needs. To attach is to change: a feed loads because of it.
    var right: Role.Right {
        switch self {
        case .load, .refresh, .retry, .reset, .cancel, .create, .update, .sort, .filter, .select, .attach, .detach: .change
        case .listJobs, .explain, .outcomes, .listFeeds, .resolve, .unknown, .unreadable: .read
        }
    }

    /// Whether it costs as much as the state is large: its reply is held for repeats, and few are under way at once.
    var isReading: Bool {
        switch self {
        case .listJobs, .explain, .outcomes, .listFeeds: true
        case .load, .refresh, .retry, .reset, .cancel, .create, .update, .sort, .filter, .select, .attach, .detach, .resolve, .unknown,
            .unreadable:
            false
        }
    }
}
