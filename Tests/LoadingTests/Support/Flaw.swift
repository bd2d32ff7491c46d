//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// An error of the tests.
enum Flaw: Error, LocalizedError, Equatable {
    case broken
    case late

    var errorDescription: String? {
        switch self {
        case .broken: "it is broken"
        case .late: "it is late"
        }
    }
}
