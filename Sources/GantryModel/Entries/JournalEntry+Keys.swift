//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What entries hold of unique keys. Most of what becomes of a key needs none: it is taken as its job is accepted, and free as that starts or ends.
extension JournalEntry {
    /// A job that was never granted has another argument and other options from now on, under its unique key.
    package struct JobReplaced: EntryKind {
        package static let survivesMemoryMode = false

        /// The job.
        package var job: JobID
        /// How it is run, and when: all its options.
        package var options: JobOptions
        /// What it works on.
        package var argument: [UInt8]
        /// Its place in line.
        package var rank: Int64
        /// When its time comes; nil: it waits at once.
        package var due: JobDue?
        /// What the clock of lengths showed, in milliseconds.
        package var lengthTime: Int64
        /// Tells its argument and options, as they were submitted, apart from others; 0: those above do.
        package var fingerprint: UInt64 = 0

        /// A job that works on that, with these options.
        package init(_ job: JobID, _ options: JobOptions, argument: [UInt8], rank: Int64, due: JobDue?, lengthTime: Int64) {
            (self.job, self.options, self.argument, self.rank) = (job, options, argument, rank)
            (self.due, self.lengthTime) = (due, lengthTime)
        }

        package var roughByteCount: Int { argument.count + options.byteCount + RoughSize.record }
    }

    /// Unique keys that are free from now on, though their jobs have ended before: the time for which they stayed taken is over, or a quarantined
    /// job was forgotten.
    package struct UniqueKeysFreed: EntryKind {
        package static let survivesMemoryMode = false

        /// The jobs that had them.
        package var jobs: [UInt64]
        /// What the clock of lengths showed, in milliseconds.
        package var lengthTime: Int64

        /// The keys of these jobs.
        package init(_ jobs: [UInt64], lengthTime: Int64) { (self.jobs, self.lengthTime) = (jobs, lengthTime) }

        package var roughByteCount: Int { jobs.count * RoughSize.number + RoughSize.message }
    }

    /// Unique keys that are taken, as a checkpoint finds them.
    package struct UniqueKeysStored: EntryKind {
        package static let survivesMemoryMode = false

        /// The keys, each with its job.
        package var keys: [TakenKey]

        /// These keys.
        package init(_ keys: [TakenKey]) { self.keys = keys }

        package var roughByteCount: Int { keys.reduce(RoughSize.message) { $0 + $1.byteCount + RoughSize.record } }
    }
}

extension JournalEntry {
    /// Ended jobs that were repeated, as a checkpoint finds them.
    package struct RepeatsStored: EntryKind {
        package static let survivesMemoryMode = false

        /// The jobs.
        package var jobs: [UInt64]
        /// The newest job that repeats each.
        package var by: [UInt64]

        /// Jobs, and what repeats each.
        package init(_ jobs: [UInt64], by: [UInt64]) { (self.jobs, self.by) = (jobs, by) }

        package var roughByteCount: Int { (jobs.count + by.count) * RoughSize.number + RoughSize.message }
    }
}

/// A unique key that is taken.
package struct TakenKey: Hashable, Sendable {
    /// The job that has it, or is to have it next. It may have ended, and may even be forgotten.
    package var job: UInt64
    /// The loader of that job.
    package var loader: String
    /// The key.
    package var key: UniqueKey
    /// What tells the job's work apart: see `UniqueKey.fingerprint`.
    package var fingerprint: UInt64
    /// When it is free, by the clock of lengths in milliseconds; nil: that follows from the job.
    package var until: Int64?
    /// When its job was accepted, by the clock of lengths in milliseconds: a debounced one waits from then on, however often it is submitted; nil: it
    /// is not debounced.
    package var since: Int64?
    /// Whether another job has the key, and this one waits for the end of that.
    package var isBehind: Bool

    /// The key of a job.
    package init(
        job: UInt64, loader: String, key: UniqueKey, fingerprint: UInt64, until: Int64? = nil, since: Int64? = nil, isBehind: Bool = false
    ) {
        (self.job, self.loader, self.key, self.fingerprint) = (job, loader, key, fingerprint)
        (self.until, self.since, self.isBehind) = (until, since, isBehind)
    }

    /// Bytes of the texts in it.
    package var byteCount: Int { loader.utf8.count + key.text.utf8.count }
}
