//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import Wire

extension ReplicaMachine {
    /// The counts that a replica of the jobs shows; nil: it shows none.
    var counts: JobCounts? {
        for item in sortedItems where item.key == Array(ItemKey.counts.utf8) {
            if case .counts(let counts)? = try? WireCodec().decodeItem(item.value) { return counts }
        }
        return nil
    }
}
