//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// All that the front keeps of one job, without references, in at most 104 bytes. It is changed only by the steps below.
struct JobRecord {
    /// The job's number; 0: no job.
    private(set) var id: UInt64 = 0
    /// The session that asked; 0: the front itself.
    private(set) var session: UInt64 = 0
    /// Place in line.
    private(set) var rank = Rank.zero
    private(set) var acceptedAt = WallTime(milliseconds: 0)
    /// When it was granted last or ended; 0: never.
    private(set) var changedAt = WallTime(milliseconds: 0)
    /// The turn at which a checkpoint stored it: entries up to that turn are in it already.
    private(set) var storedTurn: UInt64 = 0
    /// Neighbors in the one line that the job stands in: its lane, its worker's held jobs, or the ended ones. While it is scheduled it has
    /// none: then these are when its time comes, in milliseconds, and its index in the heap.
    private(set) var next: UInt64 = 0
    private(set) var previous: UInt64 = 0
    /// What it works on; it is kept for as long as the job is known.
    private(set) var argument = BlobReference.empty
    /// While somebody holds it its lease, once it has ended where its result lies: no job has both.
    private var leaseOrResult: UInt64 = 0
    /// Index of its loader's name.
    private(set) var loader: UInt32 = 0
    /// Index of its submitter and options.
    private(set) var terms: UInt32 = 0
    /// Grants so far that count.
    private(set) var attempts: UInt32 = 0
    /// How often its loader has asked to be run again later.
    private(set) var snoozeCount: UInt32 = 0
    /// Index of the worker that holds it.
    private(set) var worker: UInt16 = 0
    private(set) var state = JobState.waiting
    /// Crashes of workers that count against it.
    private(set) var crashCount: UInt8 = 0
    /// Renewals in a row in which its lease was missing.
    private(set) var missed: UInt8 = 0
    private(set) var flags = Flags()
    private(set) var place = Place.nowhere
    /// Whether that is what it is scheduled for.
    private(set) var isSnoozed = false

    /// Yes-or-no properties.
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// The session wants the outcome by itself.
        static let reportsOutcome = Flags(.reportsOutcome)
        /// Its worker died while others ran there: it runs next, alone in its worker for a while.
        static let suspected = Flags(.suspected)
        /// Works for a feed: the details are in the feed's job table.
        static let isFeedJob = Flags(.isFeedJob)
        // Those are made by entries, and a checkpoint stores them; the others are of one epoch.

        /// Its worker has listed the lease, or has said something under it: the grant was read.
        static let isSeen = Flags(rawValue: 8)
        /// Taken ahead by its worker, beside the slots.
        static let isBulk = Flags(rawValue: 16)
        /// The worker has asked the job's task to stop.
        static let isStopping = Flags(rawValue: 32)
        /// Suspected, and has been alone in its worker for long enough: others may run beside it.
        static let mayHaveNeighbors = Flags(rawValue: 64)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Those that a checkpoint has stored.
        init(_ stored: JournalEntry.StoredJobs.Flags) { rawValue = stored.rawValue }

        /// What a checkpoint stores of them.
        var stored: JournalEntry.StoredJobs.Flags { JournalEntry.StoredJobs.Flags(rawValue: rawValue).intersection(.all) }
    }

    /// The line, or the heap, that `next` and `previous` belong to.
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
        case ended
        /// Scheduled: its delay goes on.
        case lengths
        /// Scheduled: it waits for a point of the wall clock.
        case points
    }
}

extension JobRecord {
    /// Whether no worker was ever given it.
    var wasNeverGranted: Bool { changedAt.milliseconds == 0 && !state.isFinal }

    /// Whether no worker has begun it: what was given back unstarted has not.
    var hasNeverStarted: Bool { attempts == 0 && snoozeCount == 0 }

    /// The only authority to report on it; 0: nobody holds it.
    var lease: UInt64 { state.isFinal ? 0 : leaseOrResult }

    /// Of one that has ended: what bounds it counts against.
    var endedKind: EndedKind { EndedKind(state) }

    /// What it has left behind.
    var result: BlobReference { state.isFinal ? BlobReference(bits: leaseOrResult) : .empty }

    /// How long it is to be alone in its worker; nil: others may run beside it.
    var aloneFor: Duration? {
        flags.contains(.suspected) && !flags.contains(.mayHaveNeighbors) ? Self.timeAlone(attempts: Int(attempts)) : nil
    }

    /// How long a job is alone at its second attempt, and at most.
    private static let (firstTimeAlone, mostTimeAlone): (Duration, Duration) = (.seconds(10), .seconds(3_600))
    /// The attempt that is the first one alone, and one at which ten seconds have doubled beyond an hour: nothing is shifted further.
    private static let (secondAttempt, longestFrom) = (2, 12)

    /// How long a job is alone that is granted so often.
    static func timeAlone(attempts: Int) -> Duration {
        attempts < longestFrom ? min(firstTimeAlone * (1 << max(0, attempts - secondAttempt)), mostTimeAlone) : mostTimeAlone
    }
}

// Its steps, each at once: the way to a record in the slab costs more than what is written there. See `JobStanding` for where each may be
// taken from; who moves a job takes it out of its line before, and puts it into the next one after.
extension JobRecord {
    /// A job that was just accepted: it waits, and stands nowhere yet.
    init(
        id: UInt64, session: UInt64 = 0, rank: Rank, acceptedAt: WallTime, loader: UInt32, terms: UInt32 = 0, flags: Flags = [],
        argument: BlobReference = .empty
    ) {
        (self.id, self.session, self.rank, self.acceptedAt) = (id, session, rank, acceptedAt)
        (self.loader, self.terms, self.flags, self.argument) = (loader, terms, flags, argument)
    }

    /// It is run in another way, and stands elsewhere in its line. From any standing that waits; it stays what it is.
    mutating func changeTerms(to terms: Int, rank: Rank) { (self.terms, self.rank) = (UInt32(terms), rank) }

    /// A worker holds it: since it was granted once more, at that time; nil: as before. From queued or suspected; also from running or cancelling,
    /// which it stays then, when its worker reregisters.
    mutating func hold(by worker: Int, under lease: UInt64, _ state: JobState, isBulk: Bool, grantedAt: WallTime?) {
        if let grantedAt {
            // At its largest it stays: a count must not end the front.
            attempts = max(attempts, attempts &+ 1)
            changedAt = grantedAt
        }
        leaseOrResult = lease
        self.worker = UInt16(worker)
        self.state = state
        missed = 0
        // What was seen of an earlier grant says nothing of this one.
        flags.subtract([.isSeen, .mayHaveNeighbors])
        if isBulk { flags.insert(.isBulk) } else { flags.remove(.isBulk) }
    }

    /// Its cancel is accepted and sent to its worker. From running to cancelling.
    mutating func cancel() { state = .cancelling }

    /// Its attempt has ended, and it has not: from running; it waits next, or is scheduled. Of a culprit that waits already: from queued or suspected.
    mutating func endAttempt(_ ended: JournalEntry.EndedAttempt) {
        (attempts, crashCount) = (ended.attempts, ended.crashCount)
        if ended.snoozeCount > 0 { (snoozeCount, isSnoozed) = (ended.snoozeCount, true) }
        if ended.isSuspected { flags.insert(.suspected) } else { flags.remove(.suspected) }
    }

    /// No crash counts against it any more. From any standing that waits; it stays what it is.
    mutating func forgive() {
        crashCount = 0
        flags.remove(.suspected)
    }

    /// Nobody holds it: it waits. From running or cancelling to queued, suspected or blocked.
    mutating func requeue() {
        state = .waiting
        leaseOrResult = 0
    }

    /// It waits for its time. From queued or suspected, just accepted, or from running when its attempt failed.
    mutating func schedule() {
        state = .scheduled
        leaseOrResult = 0
    }

    /// Its time has come: it waits from now on, with this place in line. From scheduled.
    mutating func becomeDue(rank: Rank) { (self.rank, isSnoozed) = (rank, false) }

    /// It waits for another time than the one that its loader asked for.
    mutating func endSnooze() { isSnoozed = false }

    /// It was snoozed so often when it was stored; nil: never.
    mutating func takeSnoozes(_ stored: SnoozeCount?) { (snoozeCount, isSnoozed) = (stored?.count ?? 0, stored?.goesOn ?? false) }

    /// So many crashes of workers count against it, the last of which ends it. From running or cancelling.
    mutating func countCrashes(_ count: UInt8) { crashCount = count }

    /// It has ended, and leaves this behind. From wherever it was, for good.
    mutating func end(as state: JobState, with result: BlobReference, at time: WallTime) {
        self.state = state
        leaseOrResult = result.bits
        changedAt = time
    }

    // What is noted of one that a worker holds; none of it moves it.

    /// Its worker has listed the lease, or has said something under it.
    mutating func noteSeen() {
        missed = 0
        flags.insert(.isSeen)
    }

    /// A renewal did not list its lease.
    /// - Returns: how many in a row did not.
    mutating func noteMissed() -> UInt8 {
        // A worker may list nothing for as long as it likes.
        if missed < .max { missed += 1 }
        return missed
    }

    /// Its grant is sent again: renewals are counted anew.
    mutating func forgetMissed() { missed = 0 }

    /// Its worker has asked its task to stop.
    mutating func noteStopping() { flags.insert(.isStopping) }

    /// It has been alone in its worker for long enough.
    mutating func letNeighbors() { flags.insert(.mayHaveNeighbors) }

    // Where its bytes lie, and what a checkpoint says.

    /// What it works on lies there.
    mutating func keep(argument: BlobReference) { self.argument = argument }

    /// Its blobs were moved.
    mutating func move(argument: BlobReference, result: BlobReference) {
        self.argument = argument
        if state.isFinal { leaseOrResult = result.bits }
    }

    /// It is as a checkpoint has stored it, and stands nowhere yet.
    mutating func take(_ stored: JournalEntry.StoredJobs, at index: Int, loader: Int, terms: Int, turn: UInt64) {
        self.terms = UInt32(terms)
        session = stored.sessions[index]
        rank = Rank(milliseconds: stored.ranks[index])
        acceptedAt = WallTime(milliseconds: stored.acceptedAt[index])
        changedAt = WallTime(milliseconds: stored.changedAt[index])
        crashCount = stored.crashCounts[index]
        flags = Flags(stored.flags[index])
        attempts = stored.attempts[index]
        self.loader = UInt32(loader)
        storedTurn = turn
    }
}

// MARK: Its place in a line

extension JobRecord {
    /// It stands at that index of a heap of scheduled jobs; the place says which clock its time is of.
    mutating func standDue(_ place: Place, at index: Int, milliseconds: Int64) {
        stand(place, between: UInt64(index), and: UInt64(bitPattern: milliseconds))
    }

    /// Where it stands in its heap, while it is scheduled.
    var dueIndex: Int { Int(previous) }

    /// It leaves its heap.
    mutating func leaveDue() { stand(.nowhere, between: 0, and: 0) }

    /// When its time comes; nil: it is not scheduled.
    var due: JobDue? {
        switch place {
        case .lengths: .length(Int64(bitPattern: next))
        case .points: .point(WallTime(milliseconds: Int64(bitPattern: next)))
        case .nowhere, .lane, .suspects, .held, .ended: nil
        }
    }

    /// Links it to its neighbors in a line; 0: none.
    mutating func stand(_ place: Place, between previous: UInt64, and next: UInt64) {
        self.place = place
        self.previous = previous
        self.next = next
    }

    /// Takes it out of its line.
    /// - Returns: its neighbors there, which are to be linked to each other; 0: none.
    mutating func stepOut() -> (previous: UInt64, next: UInt64) {
        let neighbors = (previous, next)
        stand(.nowhere, between: 0, and: 0)
        return neighbors
    }

    /// Another job stands behind it; 0: none.
    mutating func link(next: UInt64) { self.next = next }

    /// Another job stands before it; 0: none.
    mutating func link(previous: UInt64) { self.previous = previous }
}
