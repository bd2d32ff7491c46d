//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// All that the front keeps of one job, without references, in at most 104 bytes.
struct JobRecord {
    /// The job's number; 0: no job.
    var id: UInt64 = 0
    /// The session that asked; 0: the front itself.
    var session: UInt64 = 0
    /// Place in line, milliseconds since 1970 less what its priority is worth.
    var rank: Int64 = 0
    /// Milliseconds since 1970.
    var acceptedAt: Int64 = 0
    /// When it was granted last or ended, milliseconds since 1970; 0: never.
    var changedAt: Int64 = 0
    /// The turn at which a checkpoint stored it: facts up to that turn are in it already.
    var storedTurn: UInt64 = 0
    /// Neighbours in the one line that the job stands in: its lane, its worker's held jobs, or the history.
    var next: UInt64 = 0
    var previous: UInt64 = 0
    /// What it works on; it is kept for as long as the job is known.
    var argument = BlobReference.empty
    /// While somebody holds it its lease, once it has ended where its result lies: no job has both.
    private var leaseOrResult: UInt64 = 0
    /// Index of its loader's name.
    var loader: UInt32 = 0
    /// Index of who asked and how it is run.
    var terms: UInt32 = 0
    /// Grants so far.
    var attempts: UInt32 = 0
    /// Index of the worker that holds it.
    var worker: UInt16 = 0
    var state = JobState.waiting
    /// Deaths of workers that count against it.
    var deaths: UInt8 = 0
    /// Renewals in a row in which its lease was missing.
    var missed: UInt8 = 0
    var flags = Flags()
    var place = Place.nowhere

    /// Yes-or-no properties.
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// The session wants the outcome by itself.
        static let reportsOutcome = Flags(rawValue: Fact.StoredJobs.Flag.reportsOutcome)
        /// Its worker died while others ran there: it runs next, alone in its worker for a while.
        static let suspected = Flags(rawValue: Fact.StoredJobs.Flag.suspected)
        /// Works for a feed: the details are in the feed's job table.
        static let isFeedJob = Flags(rawValue: Fact.StoredJobs.Flag.isFeedJob)
        /// Those that entries make, and a checkpoint stores; the others are of one life.
        static let lasting = Flags(rawValue: Fact.StoredJobs.Flag.all)
        /// Its worker has listed the lease: the grant was read.
        static let isSeen = Flags(rawValue: 8)
        /// Taken ahead by its worker, beside the slots.
        static let isShort = Flags(rawValue: 16)
        /// The worker was told to stop it and has said so.
        static let isStopping = Flags(rawValue: 32)
        /// Ended in failure or quarantine: kept longer.
        static let inFailedHistory = Flags(rawValue: 64)
        /// Suspected, and has been alone in its worker for long enough: others may run beside it.
        static let mayHaveNeighbours = Flags(rawValue: 128)
    }

    /// The line that `next` and `previous` belong to.
    enum Place: UInt8 {
        /// In none: it waits behind another job of its key, or is being moved.
        case nowhere
        /// In its lane.
        case lane
        /// In its lane among the suspected jobs.
        case suspects
        /// Held by its worker.
        case held
        /// Among the ended jobs.
        case history
    }
}

extension JobRecord {
    /// The only authority to report on it; 0: nobody holds it.
    var lease: UInt64 { state.isFinal ? 0 : leaseOrResult }

    /// What it has left behind.
    var result: BlobReference { state.isFinal ? BlobReference(bits: leaseOrResult) : .empty }

    /// How long it is to be alone in its worker; nil: others may run beside it.
    var aloneFor: Duration? {
        flags.contains(.suspected) && !flags.contains(.mayHaveNeighbours) ? SuspectRuns.length(attempts: Int(attempts)) : nil
    }
}

// Steps of its life, each at once: the way to a record in the slab costs more than what is written there.
extension JobRecord {
    /// Nobody holds it: it waits.
    mutating func wait() {
        state = .waiting
        leaseOrResult = 0
    }

    /// Its attempt has ended without an outcome.
    mutating func endAttempt(_ ended: Fact.EndedAttempt) {
        (attempts, deaths) = (ended.attempts, ended.crashCount)
        flags.remove(.isStopping)
        if ended.isSuspected { flags.insert(.suspected) } else { flags.remove(.suspected) }
    }

    /// A worker holds it: since it was granted once more, at that time; nil: as before.
    mutating func comeIntoHands(of worker: Int, under lease: UInt64, _ state: JobState, isShort: Bool, grantedAt: WallTime?) {
        if let grantedAt {
            attempts += 1
            changedAt = grantedAt.milliseconds
        }
        leaseOrResult = lease
        self.worker = UInt16(worker)
        self.state = state
        missed = 0
        flags.subtract([.isSeen, .mayHaveNeighbours])
        if isShort { flags.insert(.isShort) } else { flags.remove(.isShort) }
    }

    /// It has ended, and leaves this behind.
    mutating func end(as state: JobState, with result: BlobReference, at time: WallTime) {
        self.state = state
        leaseOrResult = result.bits
        changedAt = time.milliseconds
    }

    /// Its blobs were moved.
    mutating func move(argument: BlobReference, result: BlobReference) {
        self.argument = argument
        if state.isFinal { leaseOrResult = result.bits }
    }

    /// It is as a checkpoint has stored it, and stands nowhere yet.
    mutating func take(_ stored: Fact.StoredJobs, at index: Int, loader: Int, terms: Int, turn: UInt64) {
        self.terms = UInt32(terms)
        session = stored.sessions[index]
        rank = stored.ranks[index]
        acceptedAt = stored.acceptedAt[index]
        changedAt = stored.changedAt[index]
        deaths = stored.deaths[index]
        flags = Flags(rawValue: stored.flags[index]).intersection(.lasting)
        attempts = stored.attempts[index]
        self.loader = UInt32(loader)
        storedTurn = turn
    }
}
