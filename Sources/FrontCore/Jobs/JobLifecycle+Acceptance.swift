//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

// How jobs come in, by the gates of `JobLifecycle`.
extension JobLifecycle {
    /// Adds submitted jobs to their lane.
    mutating func accept(_ accepted: JournalEntry.AcceptedJobs, from asker: JobTerms.Asker, turn: EntryTurn) {
        let (first, arguments) = (accepted.first.rawValue, accepted.arguments.bytes)
        // One use more than there are jobs, until they are in; so below.
        let (loader, run) = change(turn) { _, records in (records.loaderNames.addJob(accepted.loader), records.arena.storeAll(arguments)) }
        let (rankTime, lengthTime) = (RankTime(milliseconds: accepted.rankTime), LengthTime(milliseconds: accepted.lengthTime))
        number {
            $0.noteNext(job: first + UInt64(accepted.arguments.count), turn)
            $0.noteRankTime(rankTime, turn)
            $0.noteLengthTime(lengthTime, turn)
        }
        var (inserted, waiting, byteCount) = (0, 0, 0)
        var ranges = accepted.arguments.ranges
        for (options, rows) in accepted.options.runs(of: accepted.arguments.count) {
            let before = inserted
            let terms = change(turn) { _, records in records.addTerms(JobTerms(asker, options: options.shared)) }
            let due = accepted.due(options.firstStart)
            let rank = Rank(ofPriority: options.priority, at: rankTime)
            let (hasKey, firstRow) = (options.uniqueKey != nil, first + UInt64(rows.lowerBound))
            let isBehind = hasKey && key(turn) { [isNew = !contains(firstRow)] in $0.accept(firstRow, options, accepted, isNew: isNew, $1) }
            // What waits for a time counts there, and is to find its limits.
            if due != nil {
                let new = rows.count { !contains(first + UInt64($0)) }
                change(turn) { $0.enterLimits(of: terms, new, in: $1) }
            }
            for row in rows {
                guard let range = ranges.next() else { break }
                let id = first + UInt64(row)
                guard !contains(id) else {
                    if isBehind { change(turn) { $0.blockStored(id, in: &$1) } }
                    continue
                }
                change(turn) { places, records in
                    records.slab.insert(
                        JobRecord(
                            id: id, session: accepted.submitter.session.rawValue, rank: rank, acceptedAt: accepted.acceptedAt,
                            loader: UInt32(loader), terms: UInt32(terms), flags: accepted.reportsOutcomes ? .reportsOutcome : [],
                            argument: records.arena.take(range, of: arguments, at: run)))
                    guard due == nil else { return }
                    records.beginTotal(of: id, at: lengthTime)
                    if isBehind { places.block(id, in: &records) } else { places.lineUp(id, in: &records) }
                }
                if let due { schedule(id, due, turn) } else { waiting += 1 }
                byteCount += range.count + self.terms.endingByteCount(of: terms)
                if hasKey { byteCount += keys.carriedByteCount(of: id) }
                inserted += 1
            }
            let new = inserted - before
            change(turn) { places, records in
                if due == nil, new > 0 { places.enterLimits(of: terms, new, in: records) }
                records.terms.change(at: terms, by: new - 1)
            }
        }
        for repeated in accepted.repeats { noteRepeat(of: repeated.value.rawValue, by: first + UInt64(repeated.index), turn) }
        countAccepted(.waiting, waiting, byteCount: byteCount, turn)
        change(turn) { [inserted] _, records in records.loaderNames.changeJobs(at: loader, by: inserted - 1) }
    }

    /// Adds a feed's job: to the line of its key, and to its lane when nobody is before it.
    mutating func accept(_ job: JournalEntry.FeedJob, from asker: JobTerms.Asker, turn: EntryTurn) {
        let id = job.job.rawValue
        let rank = Rank(milliseconds: job.rank)
        number {
            $0.notePassed(job: id, turn)
            $0.noteRankTime(rank.time(ofPriority: job.options.priority), turn)
        }
        let isAlive = !contains(id) || !self[id].state.isFinal
        line(turn) {
            $0.note(job)
            $0.note(id, isAlive: isAlive)
        }
        guard !contains(id) else { return }
        change(turn) { places, records in
            let loader = records.loaderNames.addJob(job.loader)
            let terms = records.addTerms(JobTerms(asker, options: job.options), feed: job.askedFeed)
            records.slab.insert(
                JobRecord(
                    id: id, session: job.submitter.session.rawValue, rank: rank, acceptedAt: job.acceptedAt,
                    loader: UInt32(loader), terms: UInt32(terms), flags: .isFeedJob))
            places.enterLimits(of: terms, in: records)
        }
        countAccepted(.waiting, 1, byteCount: queuedByteCount(of: id), turn)
        let isFirst = line(turn) { $0.enter(job) }
        if isFirst { change(turn) { $0.lineUp(id, in: &$1) } }
    }
}
