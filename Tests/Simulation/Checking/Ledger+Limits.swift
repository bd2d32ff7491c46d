//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

// What really runs, counted at the workers: whatever the front believes.
extension Ledger {
    /// A client asks that a limit say that. Whether and when it does, only the journal says: what was ever asked for bounds what may run.
    func asks(_ name: String, for rule: LimitRule) {
        greatestCapacities[name] = max(greatestCapacities[name] ?? 0, rule.capacity ?? .max)
        rates.asks(name, for: rule.refill)
    }

    /// A client was told that a limit has no token for its jobs and lets none wait.
    func refusedBeyondRate(_ options: JobOptionsColumn, of client: String) {
        let isNamed = options.distinct.contains { options in options.limitKeys.contains { $0.limit == FlowVariation.refusingLimit } }
        guard !isNamed || !world.flow.refusesBeyondRates else { return }
        world.violate(.ratesHold, "\(client) is refused, and no limit of its jobs refuses any")
    }

    /// Jobs are accepted of which a limit that lets none wait cannot have had so many tokens at once.
    func checkRates(of options: JobOptionsColumn, count: Int, by client: String) {
        guard world.flow.refusesBeyondRates, let burst = rates.greatestBurst(of: FlowVariation.refusingLimit) else { return }
        var counts: [LimitKey: Int] = [:]
        for (options, rows) in options.runs(of: count) where options.retryOf == nil {
            for key in options.limitKeys where key.limit == FlowVariation.refusingLimit { counts[key.unweighted, default: 0] += rows.count }
        }
        guard let most = counts.values.max(), most > burst else { return }
        world.violate(.ratesHold, "\(client): \(most) jobs are accepted, and the limit never has more than \(burst) tokens")
    }

    /// A client submits jobs with these markers.
    func submits(_ markers: [UInt64], with options: JobOptionsColumn, to loader: SimulatedLoader) {
        for (row, marker) in markers.enumerated() {
            let keys = world.flow.limitKeys(of: options[row], loader: loader.declaration.name)
            if !keys.isEmpty { limitsOfMarkers[marker] = keys }
            timeoutsOfMarkers[marker] = options[row].attemptTimeout
            if options[row].totalTimeout != nil { markersWithTotals.insert(marker) }
        }
    }

    /// A worker asks a run to stop because it has taken its time. Its clock may go a little faster than the world's.
    func timesOut(_ run: Run) {
        let length = Duration.nanoseconds(world.now - run.startedAt)
        // How much of its total time a job has left when it is granted, the worker alone knows.
        guard !markersWithTotals.contains(run.marker) else { return }
        guard let timeout = timeoutsOfMarkers[run.marker], length >= timeout * 9 / 10 - .milliseconds(50) else {
            return world.violate(.timeoutsKeepTheirTime, "run \(run.number) of job \(run.job) is asked to stop after \(length)")
        }
    }

    /// The limits that a run counts in: a feed's those of its work, another one those of its marker.
    func limits(of run: Run) -> [LimitKey] {
        run.work.map { world.flow.limitKeys(of: $0.key, $0.operation, loader: run.loader.declaration.name) }
            ?? limitsOfMarkers[run.marker] ?? []
    }

    /// A run begins.
    func takeLimits(_ keys: [LimitKey], of job: JobID) {
        for key in keys {
            runsOfLimits[key.unweighted, default: 0] += Int(key.weight)
            let (runs, most) = (runsOfLimits[key.unweighted] ?? 0, Int(greatestCapacities[key.limit] ?? 0))
            if runs > most {
                world.violate(.limitsHold, "\(runs) permits of the limit \(key.text) are used, by \(job) too (at most \(most))")
            }
        }
    }

    /// An attempt begins.
    func takeTokens(_ marker: UInt64, of job: JobID) {
        if let broken = rates.start(job.rawValue, limitsOfMarkers[marker] ?? []) { world.violate(.ratesHold, "job \(job): \(broken)") }
    }

    /// A run has really ended.
    func freeLimits(_ keys: [LimitKey]) {
        for key in keys { runsOfLimits[key.unweighted, default: 0] -= Int(key.weight) }
    }
}
