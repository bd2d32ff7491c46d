//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// When debounced jobs and loads may start, as durable entries tell it: reckoned from what clients ask for and from what all configurations of a world
/// say of feeds, never from what the front has understood of that.
struct DebounceWatch {
    private struct Job {
        /// When it was accepted, by the clock of lengths.
        let since: Int64
        /// When its time comes; nil: it has come.
        var time: Int64?
    }

    private struct Load {
        let rule: Debounce
        /// When it was delayed first, by the clock of lengths; nil: it was not.
        var since: Int64?
        /// When its time comes; nil: it has come, or it waits behind another load.
        var time: Int64?
    }

    /// How the loads of feeds are debounced, by the feed's name.
    var ofLoads: [String: Debounce] = [:]
    private var jobs: [UInt64: Job] = [:]
    private var loads: [UInt64: Load] = [:]
    private let quiet = SharedWork.debounce.quiet.wholeMilliseconds
    private let longest = SharedWork.debounce.longest.wholeMilliseconds

    /// Takes an entry.
    /// - Parameter moved: Jobs that clients have asked to be moved: those may start at any time.
    /// - Returns: what it breaks.
    mutating func take(_ entry: JournalEntry, moved: Set<UInt64>) -> [String] {
        switch entry {
        case .jobsAccepted(let accepted):
            guard accepted.options.distinct.first?.uniqueKey?.mode == .debounce else { return [] }
            jobs[accepted.first.rawValue] = Job(since: accepted.lengthTime, time: accepted.lengthTime + quiet)
        case .jobReplaced(let replaced): return [replace(replaced, moved)].compactMap { $0 }
        case .feedJobAccepted(let job):
            guard job.operation == .load, job.cause.isAsked, let rule = ofLoads[job.key.name] else { return [] }
            loads[job.job.rawValue] = Load(rule: rule)
        case .jobDelayed(let delayed):
            jobs[delayed.job.rawValue] = nil
            return [delay(delayed)].compactMap { $0 }
        case .jobsDue(let due): return due.jobs.compactMap { become($0, due.lengthTime, moved) }
        case .granted(let granted):
            return granted.jobs.compactMap { id in
                if loads.removeValue(forKey: id)?.time != nil { return "load \(id) is granted, and its feed has not been quiet" }
                guard let job = jobs.removeValue(forKey: id), job.time != nil, !moved.contains(id) else { return nil }
                return "job \(id) is granted, and its key has not been quiet"
            }
        case .ended(let ended): for id in ended.jobs { (jobs[id], loads[id]) = (nil, nil) }
        default: break
        }
        return []
    }

    private mutating func replace(_ replaced: JournalEntry.JobReplaced, _ moved: Set<UInt64>) -> String? {
        let (id, now) = (replaced.job.rawValue, replaced.lengthTime)
        guard let job = jobs[id] else { return nil }
        guard !moved.contains(id) else {
            jobs[id] = nil
            return nil
        }
        // What has come is not delayed again.
        var time = job.time
        if let known = job.time, known > now { time = min(now + quiet, job.since + longest) }
        jobs[id]?.time = time
        guard replaced.due != time.map({ .length($0) }) else { return nil }
        let (recorded, due) = (replaced.due.map { "\($0)" } ?? "no time", time.map { "\($0)" } ?? "no time")
        return "job \(id) is submitted again at \(now), and due at \(recorded), not at \(due)"
    }

    private mutating func delay(_ delayed: JournalEntry.JobDelayed) -> String? {
        let (id, now) = (delayed.job.rawValue, delayed.lengthTime)
        guard var load = loads[id] else { return nil }
        let since = load.since ?? now
        let time = min(now + load.rule.quiet.wholeMilliseconds, since + load.rule.longest.wholeMilliseconds)
        (load.since, load.time) = (since, time)
        loads[id] = load
        return delayed.due == .length(time) ? nil : "load \(id) is asked for at \(now), and due at \(delayed.due), not at \(time)"
    }

    private mutating func become(_ id: UInt64, _ now: Int64, _ moved: Set<UInt64>) -> String? {
        if let time = loads[id]?.time {
            loads[id]?.time = nil
            return time <= now ? nil : "load \(id) is due at \(now), and its feed is not quiet before \(time)"
        }
        guard let time = jobs[id]?.time else { return nil }
        jobs[id]?.time = nil
        return time <= now || moved.contains(id) ? nil : "job \(id) is due at \(now), and its key is not quiet before \(time)"
    }
}
