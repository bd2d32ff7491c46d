//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model

/// How one life of a client is set up, drawn from the seed: mostly as usual, often with pauses that are short or long or bounds that are tiny.
enum ClientVariation {
    static func vary(_ settings: inout SessionSettings, _ random: inout Random) {
        if random.chance(0.3) { settings.firstRepeat = .milliseconds(random.spread(20, 1_000)) }
        if random.chance(0.3) { settings.longestRepeat = .milliseconds(random.spread(settings.firstRepeat.wholeMilliseconds, 10_000)) }
        if random.chance(0.3) { settings.firstOutcome = .milliseconds(random.spread(20, 4_000)) }
        if random.chance(0.3) { settings.longestOutcome = .milliseconds(random.spread(settings.firstOutcome.wholeMilliseconds, 32_000)) }
        if random.chance(0.2) { settings.queueLimit = Int(random.spread(1, 64)) }
        if random.chance(0.2) { settings.queueByteLimit = Int(random.spread(300, 16_384)) }
        if random.chance(0.2) { settings.batchLimit = Int(random.spread(2, 40)) }
        if random.chance(0.2) { settings.batchByteLimit = Int(random.spread(64, 16_384)) }
        if random.chance(0.2) { settings.outcomeLimit = Int(random.spread(1, 64)) }
    }
}
