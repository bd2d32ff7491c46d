//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// How many lines several readers have printed together; whoever prints holds the lock, so lines never mix.
final class PrintedLines: Sendable {
    let count = Mutex(0)
}
