//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// The failure of a ``FlakyDownload``.
struct BrokenOff: LocalizedError {
    let percent: Int

    var errorDescription: String? { "The download broke off at \(percent)%." }
}
