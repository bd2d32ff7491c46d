//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Wire

extension JournalRow {
    /// The row as a journal with an injected bug writes it.
    func spoiled(by bug: InjectedBug?) -> JournalRow {
        guard bug == .checkpointForgetsViews, let slice, let entries = try? WireCodec().decodeEntries(slice.entries) else { return self }
        var row = self
        row.slice?.entries = WireCodec().encode(entries.filter { if case .viewChanged = $0 { false } else { true } })
        return row
    }
}
