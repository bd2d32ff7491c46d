//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// The origin answered with a status other than 200.
struct StatusError: LocalizedError, Equatable {
    let status: Int

    var errorDescription: String? { "The origin answered with status \(status)." }
}
