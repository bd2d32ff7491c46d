//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The faults in force. A later fault of the same path replaces the earlier one.
struct FaultTable {
    private struct Entry {
        var fault: Fault
        /// Opens when the fault is replaced or removed; held answers wait for it.
        let removal: Gate
    }

    private var entries: [Entry] = []

    var all: [Fault] { entries.map(\.fault).sorted { $0.path < $1.path } }

    /// Returns the gates to open.
    mutating func set(_ fault: Fault) -> [Gate] {
        let removed = remove { $0.path == fault.path }
        entries.append(Entry(fault: fault, removal: Gate()))
        return removed
    }

    /// Returns the gates to open.
    mutating func remove(_ isRemoved: (Fault) -> Bool) -> [Gate] {
        let gates = entries.filter { isRemoved($0.fault) }.map(\.removal)
        entries.removeAll { isRemoved($0.fault) }
        return gates
    }

    /// The fault that a request of `path` meets now: the closest that matches. Counts it down.
    mutating func meet(path: String) -> (fault: Fault, removal: Gate)? {
        let matching = entries.indices.filter { entries[$0].fault.matches(path) }
        guard let index = matching.max(by: { entries[$0].fault.closeness < entries[$1].fault.closeness }) else { return nil }
        let entry = entries[index]
        if let times = entry.fault.times {
            if times > 1 { entries[index].fault.times = times - 1 } else { entries.remove(at: index) }
        }
        return (entry.fault, entry.removal)
    }
}
