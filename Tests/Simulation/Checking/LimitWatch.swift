//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What counts in limits, as durable entries tell it. Reckoned beside the front, never from its state.
struct LimitWatch {
    /// What each limit says.
    private var capacities: [String: UInt32] = [:]
    /// Jobs that workers hold.
    private var inUse: [LimitKey: Int] = [:]

    /// A limit says something else, or is no more.
    mutating func take(_ changed: JournalEntry.LimitChanged) { capacities[changed.name] = changed.rule?.capacity }

    /// Whether each of the limits is there.
    func knows(_ keys: [LimitKey]) -> Bool { keys.allSatisfy { capacities[$0.limit] != nil } }

    /// A worker is given a job.
    /// - Returns: the limit that it breaks; nil: none.
    mutating func take(_ keys: [LimitKey]) -> String? {
        for key in keys { inUse[key, default: 0] += 1 }
        guard let broken = keys.first(where: { (inUse[$0] ?? 0) > Int(capacities[$0.limit] ?? .max) }) else { return nil }
        return "\(inUse[broken] ?? 0) jobs of the limit \(broken.text) are held (capacity \(capacities[broken.limit] ?? 0))"
    }

    /// Nobody holds a job any more.
    mutating func free(_ keys: [LimitKey]) { for key in keys { inUse[key, default: 0] -= 1 } }

    /// Whether a job found room before others, each of them with its limits, were granted.
    func hadRoom(for keys: [LimitKey], before others: [[LimitKey]]) -> Bool {
        keys.allSatisfy { key in
            (inUse[key] ?? 0) - others.count { $0.contains(key) } < Int(capacities[key.limit] ?? .max)
        }
    }
}

// What really runs, counted at the workers: whatever the front believes.
extension Ledger {
    /// A client asks that a limit say that. Whether and when it does, only the journal says: what was ever asked for bounds what may run.
    func asks(_ name: String, for rule: LimitRule) { greatestCapacities[name] = max(greatestCapacities[name] ?? 0, rule.capacity) }

    /// A client submits jobs with these markers.
    func submits(_ markers: [UInt64], with options: JobOptionsColumn) {
        for (row, marker) in markers.enumerated() where !options[row].limitKeys.isEmpty { limitsOfMarkers[marker] = options[row].limitKeys }
    }

    /// A run begins.
    func takeLimits(_ marker: UInt64, of job: JobID) {
        for key in limitsOfMarkers[marker] ?? [] {
            runsOfLimits[key, default: 0] += 1
            let (runs, most) = (runsOfLimits[key] ?? 0, Int(greatestCapacities[key.limit] ?? 0))
            if runs > most { world.violate(.limitsHold, "\(runs) jobs of the limit \(key.text) run, \(job) among them (at most \(most))") }
        }
    }

    /// A run has really ended.
    func freeLimits(_ marker: UInt64) { for key in limitsOfMarkers[marker] ?? [] { runsOfLimits[key, default: 0] -= 1 } }
}
