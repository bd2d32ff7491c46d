//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

/// All tests that start real processes, one after another: two cores carry one front with its workers and observers, not seven.
@Suite("Real processes", .serialized) enum EndToEnd {}
