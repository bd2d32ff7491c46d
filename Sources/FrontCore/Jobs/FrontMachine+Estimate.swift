//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Held jobs that an estimate looks at: enough to tell how long they take, so few that many explanations cost little.
    private static var estimateLookLimit: Int { 256 }

    /// About how many seconds a job waits until it gets a slot, when every slot is taken; nil where nothing tells.
    ///
    /// `place + 1` jobs must end before. How long one takes is what the ends of the last minute say, but at least twice what the running
    /// ones have run on average: whoever looks meets a job in the middle of its run, and a minute of quick jobs says nothing of the slow ones
    /// that hold the slots now.
    mutating func estimateSeconds(place: UInt64, loader: Int) -> Double? {
        var slots = 0
        var (looked, sampled, elapsed) = (0, 0, 0.0)
        defer { step(state.workers.count + looked) }
        for worker in state.workers {
            guard let worker, worker.isAttached, !worker.isDraining, worker.offer(loader) != nil else { continue }
            slots += Int(worker.registration.slots)
            var job = worker.held.first
            while job != 0, looked < Self.estimateLookLimit {
                looked += 1
                let record = state.jobs[job]
                if !record.flags.contains(.isShort) {
                    elapsed += Double(max(0, now.wall.milliseconds - record.changedAt)) / 1_000
                    sampled += 1
                }
                job = record.next
            }
        }
        guard slots > 0 else { return nil }
        let ended = state.counts.succeeded + state.counts.failed + state.counts.cancelled
        let byPace = pace.perSecond(ended: ended, at: now.monotonic).map { Double(slots) / $0 }
        let byRunning = sampled > 0 ? 2 * elapsed / Double(sampled) : nil
        guard let length = [byPace, byRunning].compactMap(\.self).max() else { return nil }
        return Double(place + 1) * length / Double(slots)
    }
}
