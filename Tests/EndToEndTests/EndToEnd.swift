//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

/// The tests of whole installations, one after another: two cores carry one front with its workers and observers, not seven.
@Suite("Real processes", .serialized) enum EndToEnd {}

/// The scripts that hurt an installation from outside. They mostly wait for faults to come and to pass, and measure by no clock but their own bounds:
/// they run beside the others.
@Suite("Real faults", .serialized) enum EndToEndFaults {}

/// The tests of single commands, beside one front at most, one after another too. They mostly wait for processes to start and to end, so they
/// run beside those of whole installations.
@Suite("Real commands", .serialized) enum EndToEndCommands {}
