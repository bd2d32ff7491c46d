//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

/// The unique keys of jobs: which job has which, and until when each is taken.
///
/// What a job was submitted with stays known for as long as the job is. Whether the key is taken is a record of its own, for that may outlast the
/// job: it follows from the entries that accept, grant and end jobs, whatever else they find of those, so that a replay that begins amid them makes
/// the same. Each record notes the turn at which a checkpoint stored it, as jobs do, and is in no entry up to then.
///
/// Behind the job of a key with the mode `buffer` one more may wait for its end, with a record of its own: that follows from the same entries.
struct UniqueKeys {
    /// A key that is taken, and what it was known by last.
    private struct Record {
        var taken: TakenKey
        /// The turn at which a checkpoint stored it; 0: none did.
        let storedTurn: UInt64
    }

    /// What a key is found by.
    private struct Name: Hashable {
        let loader: String
        let text: String

        init(_ key: UniqueKey, of loader: String) { (self.loader, text) = (loader, key.text) }

        init(_ taken: TakenKey) { self.init(taken.key, of: taken.loader) }
    }

    /// When a key is free by itself.
    private struct Release: Comparable, Sendable {
        let until: LengthTime
        let job: UInt64

        static func < (left: Self, right: Self) -> Bool { (left.until, left.job) < (right.until, right.job) }
    }

    /// The key of each job in memory that was submitted with one.
    private var ofJobs: [UInt64: UniqueKey] = [:]
    /// Keys that are taken, by their jobs.
    private var records: [UInt64: Record] = [:]
    /// Their jobs in order: a checkpoint goes through as many as a slice has room for.
    private var order = SortedKeys<UInt64>()
    /// The job of each key that is taken.
    private var holders: [Name: UInt64] = [:]
    /// The one behind it, which has the key next.
    private var followers: [Name: UInt64] = [:]
    /// Those of ended jobs, in the order in which they are free.
    private var releases = SortedKeys<Release>()
    /// Bytes of those that are taken, with what finds them, about.
    private(set) var byteCount = 0
}

// MARK: Questions

extension UniqueKeys {
    /// How many are taken.
    var count: Int { records.count }

    /// What a job in memory was submitted with.
    func key(of job: UInt64) -> UniqueKey? { ofJobs.isEmpty ? nil : ofJobs[job] }

    /// The key that a job has, and nobody else may have.
    func taken(by job: UInt64) -> TakenKey? { records.isEmpty ? nil : records[job]?.taken }

    /// Who has a key; nil: it is free.
    func holder(of key: UniqueKey, _ loader: String) -> TakenKey? { holders[Name(key, of: loader)].flatMap { records[$0]?.taken } }

    /// Who has it next; nil: nobody waits behind its job.
    func follower(of key: UniqueKey, _ loader: String) -> TakenKey? { followers[Name(key, of: loader)].flatMap { records[$0]?.taken } }

    /// Whether a job waits for the end of the one that has its key.
    func isBehind(_ job: UInt64) -> Bool { !followers.isEmpty && records[job]?.taken.isBehind == true }

    /// The job behind which one waits; nil: it waits behind none.
    func holder(before job: UInt64) -> UInt64? { isBehind(job) ? records[job].flatMap { holders[Name($0.taken)] } : nil }

    /// Those that wait behind these.
    func followers(behind jobs: [UInt64]) -> [UInt64] { followers.isEmpty ? [] : jobs.compactMap { follower(behind: $0) } }

    /// The job that waits behind one; nil: none does.
    func follower(behind job: UInt64) -> UInt64? {
        guard !followers.isEmpty, let taken = records[job]?.taken, !taken.isBehind else { return nil }
        return followers[Name(taken)]
    }

    /// Whether the key of one of these jobs stays taken for a while after their ends.
    func isTaken(afterEndOf jobs: [UInt64]) -> Bool {
        !records.isEmpty && jobs.contains { records[$0].map { $0.taken.key.afterEnd > .zero } ?? false }
    }

    /// When the first of them is free by itself, by the clock of lengths; nil: none is.
    var nextRelease: LengthTime? { releases.count == 0 ? nil : releases.keys(after: nil).first { _ in true }?.until }

    /// The jobs of keys whose time is over by then, in its order; so many at most.
    func due(at time: LengthTime, limit: Int) -> [UInt64] {
        var jobs: [UInt64] = []
        for release in releases.keys(after: nil) {
            guard release.until <= time, jobs.count < limit else { break }
            jobs.append(release.job)
        }
        return jobs
    }

    /// The jobs that have a key, by number.
    var jobs: some Sequence<UInt64> { order.keys(after: nil) }

    /// The key of the first job behind that one; nil: there is none.
    func taken(after job: UInt64) -> TakenKey? { order.keys(after: job).first { _ in true }.flatMap { taken(by: $0) } }

    /// Bytes that a key takes, about.
    static func byteCount(of key: UniqueKey, _ loader: String) -> Int { RoughSize.uniqueKey + key.text.utf8.count + loader.utf8.count }

    /// Bytes that it adds to what its job carries.
    func carriedByteCount(of job: UInt64) -> Int { key(of: job).map { RoughSize.name + $0.text.utf8.count } ?? 0 }

    /// Whether they are those that other entries have made.
    func agree(with other: UniqueKeys) -> Bool {
        records.count == other.records.count && records.allSatisfy { $0.value.taken == other.records[$0.key]?.taken }
    }
}

// MARK: What entries change

extension UniqueKeys {
    /// A job was accepted that has a key: it takes it, from an ended job too that it repeats.
    /// - Parameters:
    ///   - accepted: Its entry, in which it stands alone.
    ///   - isNew: Whether it was not there. What is, a checkpoint has stored as it was later.
    /// - Returns: whether another one has it, behind which the job waits.
    mutating func accept(
        _ job: UInt64, _ options: JobOptions, _ accepted: JournalEntry.AcceptedJobs, isNew: Bool, _ turn: EntryTurn
    ) -> Bool {
        guard let key = options.uniqueKey else { return false }
        if isNew { ofJobs[job] = key }
        // An entry that comes again changes nothing: its job would wait behind itself.
        guard records[job] == nil else { return self.isBehind(job) }
        let name = Name(key, of: accepted.loader)
        var isBehind = false
        if let holder = holders[name] {
            guard mayChange(holder, turn) else { return false }
            isBehind = key.mode == .buffer && records[holder]?.taken.key.mode == .buffer
            if !isBehind { free(holder) }
        }
        take(
            TakenKey(
                job: job, loader: accepted.loader, key: key,
                fingerprint: accepted.fingerprint != 0
                    ? accepted.fingerprint : UniqueKey.fingerprint(of: accepted.arguments.bytes, options),
                since: key.debounce == nil ? nil : accepted.lengthTime, isBehind: isBehind), storedTurn: 0)
        return isBehind
    }

    /// A job that was never granted has another argument and other options.
    /// - Parameter isChanged: Whether the job itself was changed.
    mutating func replace(_ replaced: JournalEntry.JobReplaced, isChanged: Bool, _ turn: EntryTurn) {
        let job = replaced.job.rawValue
        guard let key = replaced.options.uniqueKey else { return }
        if isChanged { ofJobs[job] = key }
        guard mayChange(job, turn), let taken = records[job]?.taken else { return }
        remove(job)
        let print = replaced.fingerprint == 0 ? UniqueKey.fingerprint(of: replaced.argument, replaced.options) : replaced.fingerprint
        take(
            TakenKey(job: job, loader: taken.loader, key: key, fingerprint: print, since: taken.since, isBehind: taken.isBehind),
            storedTurn: 0)
    }

    /// A worker was given a job: what is taken until the first start, as debounced keys are, is free for good.
    mutating func start(_ job: UInt64, _ turn: EntryTurn) {
        guard !records.isEmpty, mayChange(job, turn), records[job]?.taken.key.mode.isFreeAtStart == true else { return }
        free(job)
    }

    /// A job has ended: its key is free, now or later, or that of the job behind it. A quarantined job keeps its key: to run such work again is for
    /// people to decide, but where the newest work counts, which a later job has.
    /// - Parameter time: What the clock of lengths showed.
    /// - Returns: the job that waits behind no other one any more; nil: none did.
    mutating func end(_ job: UInt64, as state: JobState, at time: LengthTime, _ turn: EntryTurn) -> UInt64? {
        guard !records.isEmpty, mayChange(job, turn), var taken = records[job]?.taken else { return nil }
        guard state != .quarantined || taken.key.mode == .buffer else { return nil }
        let heir = free(job)
        if taken.key.afterEnd > .zero {
            taken.freeAt = time.advanced(by: taken.key.afterEnd)
            take(taken, storedTurn: 0)
        }
        return heir
    }

    /// Keys are free.
    mutating func free(_ jobs: [UInt64], _ turn: EntryTurn) { for job in jobs where mayChange(job, turn) { free(job) } }

    /// Ended jobs are forgotten: a quarantined one has its key no longer. What stays taken for a time does so without its job.
    mutating func forget(_ jobs: [UInt64], _ turn: EntryTurn) {
        guard !records.isEmpty else { return }
        free(jobs.filter { records[$0].map { $0.taken.until == nil } ?? false }, turn)
    }

    /// A checkpoint has stored jobs: these were submitted with keys, and others with none.
    mutating func restore(_ stored: JournalEntry.StoredJobs, _ turn: EntryTurn) {
        if !ofJobs.isEmpty { for job in stored.jobs { ofJobs[job] = nil } }
        for entry in stored.uniqueKeys { ofJobs[stored.jobs[Int(entry.index)]] = entry.value }
    }

    /// A checkpoint has stored keys that are taken.
    mutating func restore(_ stored: JournalEntry.UniqueKeysStored, _ turn: EntryTurn) {
        for taken in stored.keys {
            // What the checkpoint says holds, whoever had the key by the rows before it.
            if let other = taken.isBehind ? followers[Name(taken)] : holders[Name(taken)] { remove(other) }
            remove(taken.job)
            take(taken, storedTurn: turn.stored ?? turn.number)
        }
    }

    /// A job is not in memory any more; its key may be taken all the same.
    mutating func drop(_ job: UInt64) {
        guard !ofJobs.isEmpty else { return }
        ofJobs[job] = nil
        // What the last one leaves behind is memory for as many.
        if ofJobs.isEmpty { ofJobs = [:] }
    }

    /// Whether an entry of that turn may change what a job has: it has a key, and no checkpoint with the entry's effect has stored that.
    private func mayChange(_ job: UInt64, _ turn: EntryTurn) -> Bool { records[job].map { turn.number > $0.storedTurn } ?? false }

    private mutating func take(_ taken: TakenKey, storedTurn: UInt64) {
        records[taken.job] = Record(taken: taken, storedTurn: storedTurn)
        order.insert(taken.job)
        if taken.isBehind { followers[Name(taken)] = taken.job } else { holders[Name(taken)] = taken.job }
        if let until = taken.freeAt { releases.insert(Release(until: until, job: taken.job)) }
        byteCount += Self.byteCount(of: taken.key, taken.loader)
    }

    /// A job has its key no longer, or waits for it no longer.
    /// - Returns: the job that has the key now, having waited for it; nil: none has.
    @discardableResult
    private mutating func free(_ job: UInt64) -> UInt64? {
        guard let taken = remove(job), !taken.isBehind, let heir = followers.removeValue(forKey: Name(taken)) else { return nil }
        holders[Name(taken)] = heir
        records[heir]?.taken.isBehind = false
        return heir
    }

    @discardableResult
    private mutating func remove(_ job: UInt64) -> TakenKey? {
        guard let taken = records.removeValue(forKey: job)?.taken else { return nil }
        if taken.isBehind { followers[Name(taken)] = nil } else { holders[Name(taken)] = nil }
        order.remove(job)
        if let until = taken.freeAt { releases.remove(Release(until: until, job: job)) }
        byteCount -= Self.byteCount(of: taken.key, taken.loader)
        if records.isEmpty { (records, holders, followers) = ([:], [:], [:]) }
        return taken
    }
}

// MARK: Checks from outside

extension UniqueKeys {
    /// What differs from what jobs have; nil: nothing. A key that is never free again would keep work from being done for ever.
    func miscount(in jobs: JobSlab, isQuarantined: (UInt64) -> Bool) -> String? {
        var found = 0
        for (job, record) in records.sorted(by: { $0.key < $1.key }) {
            let taken = record.taken
            found += Self.byteCount(of: taken.key, taken.loader)
            let (holder, follower) = (holders[Name(taken)], followers[Name(taken)])
            guard taken.isBehind ? follower == job && holder != nil : holder == job else { return "job \(job) has the key of another" }
            let isAlive = jobs.contains(job) && !jobs[job].state.isFinal
            guard taken.until == nil ? isAlive || isQuarantined(job) : !isAlive else { return "job \(job) has a \(taken.key.line)" }
        }
        guard found == byteCount, holders.count + followers.count == records.count, order.count == records.count else {
            return "\(records.count) keys have \(byteCount) bytes, counted \(found)"
        }
        for (job, key) in ofJobs.sorted(by: { $0.key < $1.key }) where jobs.contains(job) && !jobs[job].state.isFinal {
            let isTaken = !key.mode.isFreeAtStart || jobs[job].wasNeverGranted
            guard (records[job] != nil) == isTaken else { return "job \(job) \(isTaken ? "has lost" : "still has") a \(key.line)" }
            let isBlocked = jobs[job].standing == .blocked
            guard isBlocked == isBehind(job) else { return "job \(job) is \(isBlocked ? "" : "not ")blocked with a \(key.line)" }
        }
        for job in ofJobs.keys.sorted() where !jobs.contains(job) { return "a key is known of job \(job), which is not" }
        return nil
    }
}
