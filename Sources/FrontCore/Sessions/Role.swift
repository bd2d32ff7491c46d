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
        switch effect {
        case .work, .cancel, .change, .wish: .change
        case .list, .lookUp: .read
        }
    }
}
