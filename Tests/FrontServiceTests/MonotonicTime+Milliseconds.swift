//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The instant so many milliseconds after the clock's start.
func ms(_ count: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: 0).advanced(by: .milliseconds(count)) }
