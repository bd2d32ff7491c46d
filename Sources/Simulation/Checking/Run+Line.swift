//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Run {
    /// What only one run may hold at a time: the loads of a feed, or the edits of its persistent list.
    var line: String? {
        guard let work else { return nil }
        switch work.operation {
        case .load: return "\(work.key) load"
        case .merge, .create, .update: return "\(work.key) edit"
        case .sort, .detail: return nil
        }
    }
}
