//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// Held jobs that an estimate looks at, shared out evenly to the workers so that none hides the others': enough to tell how long they
    /// take, so few that many explanations cost little.
    private static var estimateLookLimit: Int { 256 }

    /// About how long a job waits until it gets a slot, when every slot is taken; nil where nothing tells.
    ///
    /// `place + 1` jobs must end before: first the running ones, each after what is left of it, then one round after the other of those that
    /// wait. Where only short jobs run, which take no slot, the ends of the last minute tell. A running job of a loader none of whose jobs has
    /// ended yet may go on for ever: what waits for its end has no estimate.
    mutating func estimate(place: UInt64, loader: Int, in turn: inout FrontTurn) -> Duration? {
        let slots = turn.state.jobs.scheduler.slotsOffered(loader)
        var looked = 0
        var (left, whole): ([Double], Double) = ([], 0)
        defer { turn.step(turn.state.workers.count + looked) }
        let offering = turn.state.workers.indices.filter { turn.state.jobs.hand(of: $0)?.serves(loader) == true }
        for index in offering {
            var job = turn.state.jobs.held(by: index).first
            var share = max(1, Self.estimateLookLimit / offering.count)
            while job != 0, share > 0 {
                (looked, share) = (looked + 1, share - 1)
                let record = turn.state.jobs[job]
                if !record.flags.contains(.isShort) {
                    let elapsed = record.runSeconds(at: turn.now.wall)
                    left.append(lengths.secondsLeft(loader: Int(record.loader), elapsed: elapsed) ?? .infinity)
                    whole += elapsed + left[left.count - 1]
                }
                job = record.next
            }
        }
        guard slots > 0 else { return nil }
        guard !left.isEmpty else {
            let ended = turn.state.jobs.totals.ended
            return pace.perSecond(ended: ended, at: turn.now.monotonic).map { Duration(clampingSeconds: Double(place + 1) / $0) }
        }
        left.sort()
        // Of more slots than are looked at, those are a fair sample.
        let (round, turn) = place.quotientAndRemainder(dividingBy: UInt64(slots))
        let next = left[min(Int(turn) * left.count / slots, left.count - 1)]
        guard next.isFinite, round == 0 || whole.isFinite else { return nil }
        return Duration(clampingSeconds: round == 0 ? next : next + Double(round) * whole / Double(left.count))
    }
}

extension JobRecord {
    /// How long a job that is held by a worker has run, in seconds; a step of the wall clock makes it no less than none.
    func runSeconds(at now: WallTime) -> Double { Double(max(0, now.milliseconds - changedAt)) / 1_000 }
}
