//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// When a waiting job may get a slot.
///
/// While nothing ends, what is said grows less from one look to the next, and then is unknown: a number that counts up with the age of what runs
/// would be a promise that moves away. It grows only where a job turns out to run longer than usual, once for that job.
enum WaitEstimate: Equatable {
    /// About so long.
    case after(Duration)
    /// It waits for jobs of loaders none of whose jobs has ended yet: they may go on for ever.
    case noneEnded
    /// All that run have run longer than others of their loader did: when one ends nobody knows.
    case overdue
    /// No job has ended lately.
    case stalled

    /// Why it is not known, for people; nil: it is.
    var timeline: String? {
        switch self {
        case .after: nil
        case .noneEnded: "when it starts is not known: no job like those that run has ended since the front started"
        case .overdue: "when it starts is not known: what runs has run longer than others of its loader did"
        case .stalled: "when it starts is not known: no job has ended lately"
        }
    }
}

extension JobQueue {
    /// Held jobs that an estimate looks at, shared out evenly to the workers so that none hides the others': enough to tell how long they
    /// take, so few that many explanations cost little.
    private static var estimateLookLimit: Int { 256 }

    /// About how long a job waits until it gets a slot, when every slot is taken.
    ///
    /// `place + 1` jobs must end before: first the running ones, each after what is left of its usual length, then one round after the other of
    /// those that wait, each as long as those that run usually are. One that has run longer than that tells nothing: the others do, so that one
    /// that hangs makes no estimate unknown. Where only bulk jobs run, which take no slot, the ends of the last minute tell.
    mutating func estimate(place: UInt64, loader: Int, in turn: inout FrontTurn) -> WaitEstimate {
        let slots = turn.state.jobs.scheduler.slotsOffered(loader)
        var looked = 0
        var (left, whole): ([Double], Double) = ([], 0)
        defer { turn.step(turn.state.workers.count + looked) }
        let offering = turn.state.workers.indices.filter { turn.state.jobs.holding(of: $0)?.serves(loader) == true }
        for index in offering {
            var job = turn.state.jobs.held(by: index).first
            var share = max(1, Self.estimateLookLimit / offering.count)
            while job != 0, share > 0 {
                (looked, share) = (looked + 1, share - 1)
                let record = turn.state.jobs[job]
                if !record.flags.contains(.isBulk) {
                    let usual = lengths.usual(loader: Int(record.loader)) ?? .infinity
                    left.append(max(0, usual - record.runSeconds(at: turn.now.wall)))
                    whole += usual
                }
                job = record.next
            }
        }
        guard slots > 0 else { return .noneEnded }
        guard !left.isEmpty else {
            let perSecond = throughput.perSecond(ended: turn.state.jobs.totals.ended, at: turn.now.monotonic)
            return perSecond.map { .after(Duration(clampingSeconds: Double(place + 1) / $0)) } ?? .stalled
        }
        left.sort()
        // Of more slots than are looked at, those are a fair sample.
        let (round, turn) = place.quotientAndRemainder(dividingBy: UInt64(slots))
        let sending = left.drop { $0 <= 0 }
        guard !sending.isEmpty else { return .overdue }
        let next = sending[sending.startIndex + min(Int(turn) * sending.count / slots, sending.count - 1)]
        guard next.isFinite, round == 0 || whole.isFinite else { return .noneEnded }
        return .after(Duration(clampingSeconds: round == 0 ? next : next + Double(round) * whole / Double(left.count)))
    }
}

extension JobRecord {
    /// How long a job that is held by a worker has run, in seconds; a step of the wall clock makes it no less than none.
    func runSeconds(at now: WallTime) -> Double { max(0, Double(now.milliseconds) - Double(changedAt)) / 1_000 }
}
