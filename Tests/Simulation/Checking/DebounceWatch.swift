//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// When debounced jobs may start, as durable entries tell it: reckoned from what clients ask for, never from what the front has understood of that.
struct DebounceWatch {
    private struct Job {
        /// When it was accepted, by the clock of lengths.
        let since: Int64
        /// When its time comes; nil: it has come.
        var time: Int64?
    }

    private var jobs: [UInt64: Job] = [:]
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
        case .jobDelayed(let delayed): jobs[delayed.job.rawValue] = nil
        case .jobsDue(let due): return due.jobs.compactMap { become($0, due.lengthTime, moved) }
        case .granted(let granted):
            return granted.jobs.compactMap { id in
                guard let job = jobs.removeValue(forKey: id), job.time != nil, !moved.contains(id) else { return nil }
                return "job \(id) is granted, and its key has not been quiet"
            }
        case .ended(let ended): for id in ended.jobs { jobs[id] = nil }
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

    private mutating func become(_ id: UInt64, _ now: Int64, _ moved: Set<UInt64>) -> String? {
        guard let time = jobs[id]?.time else { return nil }
        jobs[id]?.time = nil
        return time <= now || moved.contains(id) ? nil : "job \(id) is due at \(now), and its key is not quiet before \(time)"
    }
}
