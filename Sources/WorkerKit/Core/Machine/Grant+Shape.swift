//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension WorkerBoundMessage.Grant {
    /// Whether all columns are equally long and every loader index names a loader.
    var isWellFormed: Bool {
        let count = jobs.count
        guard leases.count == count, loaderIndexes.count == count, attempts.count == count, arguments.count == count else { return false }
        var highest: UInt32 = 0
        for index in loaderIndexes { highest = max(highest, index) }
        return count == 0 || Int(highest) < loaders.count
    }
}
