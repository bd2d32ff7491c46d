//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import GantryWireMessages

extension WireUniqueKey: Mapped {
    init(_ value: UniqueKey) {
        self.init()
        (key, mode) = (value.text, WireUniqueMode(value.mode))
        afterEndMilliseconds = UInt64(clamping: value.afterEnd.millisecondsRoundedUp)
        if let debounce = value.debounce {
            quietMilliseconds = UInt64(clamping: debounce.quiet.millisecondsRoundedUp)
            longestMilliseconds = UInt64(clamping: debounce.longest.millisecondsRoundedUp)
        }
    }

    func value(within bounds: Bounds) throws(CodecError) -> UniqueKey {
        let what = "a unique key"
        var unique = UniqueKey(
            try bounds.text(key, what), mode: try bounds.known(mode, "the mode of a unique key"),
            afterEnd: .milliseconds(Int64(clamping: afterEndMilliseconds)))
        let longest = longestMilliseconds == 0 ? nil : Duration.milliseconds(Int64(clamping: longestMilliseconds))
        unique.debounce = Debounce(quiet: .milliseconds(Int64(clamping: quietMilliseconds)), longest: longest)
        if let fault = unique.fault { throw CodecError(what: what, reason: fault) }
        return unique
    }
}

extension WireIndexedUniqueKey: Mapped {
    init(_ value: Indexed<UniqueKey>) {
        self.init()
        (index, key) = (value.index, WireUniqueKey(value.value))
    }

    func value(within bounds: Bounds) throws(CodecError) -> Indexed<UniqueKey> {
        Indexed(index: index, value: try key.value(within: bounds))
    }
}

extension WireJobReplaced: Mapped {
    init(_ value: JournalEntry.JobReplaced) {
        self.init()
        (job, options, argument) = (value.job.rawValue, WireJobOptions(value.options), Data(value.argument))
        (rank, lengthTime, fingerprint) = (value.rank, value.lengthTime, value.fingerprint)
        if let time = value.due { due = WireJobDue(time) }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.JobReplaced {
        var replaced = JournalEntry.JobReplaced(
            JobID(job), try options.value(within: bounds), argument: try bounds.payload(argument, "a job's argument"), rank: rank,
            due: hasDue ? try due.value(within: bounds) : nil, lengthTime: lengthTime)
        replaced.fingerprint = fingerprint
        return replaced
    }
}

extension WireUniqueKeysFreed: Mapped {
    init(_ value: JournalEntry.UniqueKeysFreed) {
        self.init()
        (jobs, lengthTime) = (value.jobs, value.lengthTime)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.UniqueKeysFreed {
        JournalEntry.UniqueKeysFreed(jobs, lengthTime: lengthTime)
    }
}

extension WireUniqueKeysStored: Mapped {
    init(_ value: JournalEntry.UniqueKeysStored) {
        self.init()
        keys = value.keys.map(WireTakenKey.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.UniqueKeysStored {
        JournalEntry.UniqueKeysStored(try bounds.values(keys, "unique keys that are taken"))
    }
}

extension WireRepeatsStored: Mapped {
    init(_ value: JournalEntry.RepeatsStored) {
        self.init()
        (jobs, by) = (value.jobs, value.by)
    }

    func value(within bounds: Bounds) throws(CodecError) -> JournalEntry.RepeatsStored {
        guard jobs.count == by.count else {
            throw CodecError(what: "ended jobs that were repeated", reason: "\(jobs.count) are repeated by \(by.count)")
        }
        return JournalEntry.RepeatsStored(jobs, by: by)
    }
}

extension WireTakenKey: Mapped {
    init(_ value: TakenKey) {
        self.init()
        (job, loader, key, fingerprint) = (value.job, value.loader, WireUniqueKey(value.key), value.fingerprint)
        if let time = value.until { until = time }
        if let time = value.since { since = time }
        isBehind = value.isBehind
    }

    func value(within bounds: Bounds) throws(CodecError) -> TakenKey {
        TakenKey(
            job: job, loader: try bounds.text(loader, "a loader's name"), key: try key.value(within: bounds), fingerprint: fingerprint,
            until: hasUntil ? until : nil, since: hasSince ? since : nil, isBehind: isBehind)
    }
}
