//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerBoundMessage.Grant {
    /// Whether all columns are equally long, every loader index names a loader, and the lengths add up to the arguments.
    var isWellFormed: Bool {
        let count = jobs.count
        guard leases.count == count, loaderIndexes.count == count, attempts.count == count, lengths.count == count else { return false }
        var sum = 0
        for length in lengths { sum += Int(length) }
        var highest: UInt32 = 0
        for index in loaderIndexes { highest = max(highest, index) }
        return sum == arguments.count && (count == 0 || Int(highest) < loaders.count)
    }
}
