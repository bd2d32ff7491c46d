//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JournalEntry.WorkLeft: AppliedEntry {
    static let survivesMemoryMode = true

    var roughByteCount: Int {
        var texts = 0
        if case .reset(let key, let label) = work { texts += key.text.utf8.count + label.utf8.count }
        if case .feed(let key)? = cursor { texts += key.text.utf8.count }
        return RoughSize.wide + texts
    }

    /// As nothing but the newest entry counts, an entry that a checkpoint has in it already changes nothing that a later one does not.
    func apply(to state: inout FrontState, turn: EntryTurn) { state.left.apply(self, turn) }
}
