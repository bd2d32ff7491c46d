//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Where jobs stand that have not ended: in a lane of the scheduler, in a worker's hand, or among those that wait for their time.
///
/// Code that changes a hand does not update the scheduler: `flush` passes it the room of each changed worker, once.
struct JobPlaces {
    /// Which waiting job is next.
    private(set) var scheduler = Scheduler()
    /// Those whose time has not come.
    private(set) var scheduled = ScheduledJobs()
    /// What is paused.
    private(set) var pauses = PauseTable()
    /// Those that wait and end by themselves at a time.
    private(set) var ending = EndingJobs()
    /// By a worker's index what it offers and holds.
    private var holdings: [WorkerHolding] = []
    /// Workers whose hand has changed since their room was passed to the scheduler.
    private var changed = ChangedIndexes()

    // Asked for each job: yielding a whole hand would allocate.

    /// What a worker has in hand; nil: there is none of that index.
    @inline(__always)
    func holding(of worker: Int) -> WorkerHolding? { worker < holdings.count && holdings[worker].isKnown ? holdings[worker] : nil }

    /// Puts what each worker holds into the order of the grants.
    mutating func sortHoldings(in slab: inout JobSlab) { for index in holdings.indices { holdings[index].sortHeld(in: &slab) } }

    /// Puts a waiting job that stands nowhere into its lane.
    mutating func lineUp(_ id: UInt64, in records: inout JobRecords) {
        scheduler.insert(id, records.lane(of: id), in: &records.slab)
        noteEnding(of: id, in: &records)
    }

    /// A job that stands nowhere waits behind another one of its key, in no lane.
    mutating func block(_ id: UInt64, in records: inout JobRecords) { noteEnding(of: id, in: &records) }

    /// A job waits behind another one of its key which a checkpoint had stored without its key: keys are written before jobs, and it was accepted
    /// between the two, so it came into its lane. Where else it stands it was later, and no more behind.
    mutating func blockStored(_ id: UInt64, in records: inout JobRecords) {
        guard records.slab[id].place == .lane else { return }
        remove(id, in: &records)
        block(id, in: &records)
    }

    /// Puts a job that stands nowhere among those that wait for their time.
    mutating func schedule(_ id: UInt64, _ due: JobDue, in records: inout JobRecords) {
        scheduled.insert(id, due, in: &records.slab)
        if let set = limitSet(of: id, in: records) { scheduler.limits.count(scheduled: 1, of: set) }
        // Its total time counts from when its time comes first.
        if records.slab[id].hasNeverStarted { records.setDeadline(of: id, to: nil) }
        noteEnding(of: id, in: &records)
    }

    /// The limits that a job counts in, as their index; nil: no job counts in any.
    @inline(__always)
    private func limitSet(of id: UInt64, in records: JobRecords) -> Int? {
        scheduler.limits.isUsed ? Int(records.lane(of: id).limitSet) : nil
    }

    @inline(__always)
    private mutating func noteEnding(of id: UInt64, in records: inout JobRecords) {
        guard let times = records.terms.ending(of: Int(records.slab[id].terms)) else { return }
        ending.enter(records.slab[id], times, deadline: records.deadline(of: id))
    }

    /// Puts a job that stands nowhere into a worker's hand, with a permit of each limit that it counts in.
    /// - Returns: whether ahead, beside the slots.
    mutating func hold(_ id: UInt64, by worker: Int, in records: inout JobRecords) -> Bool {
        touch(worker)
        if let set = limitSet(of: id, in: records) { scheduler.limits.take(set) }
        return holdings[worker].hold(id, in: &records.slab)
    }

    /// Takes a job out of where it stands.
    mutating func remove(_ id: UInt64, in records: inout JobRecords) {
        if !ending.isEmpty { ending.leave(id) }
        switch records.slab[id].place {
        case .nowhere, .ended: break
        case .lane, .suspects: scheduler.remove(id, records.lane(of: id), in: &records.slab)
        case .lengths, .points:
            scheduled.remove(id, in: &records.slab)
            if let set = limitSet(of: id, in: records) { scheduler.limits.count(scheduled: -1, of: set) }
        case .held:
            let worker = Int(records.slab[id].worker)
            touch(worker)
            if let set = limitSet(of: id, in: records) { scheduler.limits.free(set) }
            holdings[worker].letGo(id, in: &records.slab)
        }
    }

    /// A worker has registered, and offers what it says now.
    mutating func takeWorker(
        _ worker: Int, _ registration: WorkerMessage.Registration, insteadOf old: WorkerMessage.Registration?, in records: inout JobRecords
    ) {
        for loader in old?.loaders ?? [] { records.loaderNames.removeUse(loader.name) }
        var indexes: [Int] = []
        for loader in registration.loaders { indexes.append(records.loaderNames.addUse(loader.name)) }
        while holdings.count <= worker { holdings.append(WorkerHolding()) }
        // Before and after: what it offers no more and what it offers anew are both in question.
        questionOffers(of: worker)
        holdings[worker].note(registration, at: indexes, isPaused: pauses.holds(worker: registration.name))
        questionOffers(of: worker)
        touch(worker)
        let offered = Set(indexes).sorted()
        let ahead = offered.filter { holdings[worker].offer($0)?.isBulk ?? false }
        scheduler.setOffers(of: worker, slot: offered.filter { !ahead.contains($0) }, ahead: ahead)
    }

    /// A worker is forgotten, which holds nothing.
    mutating func dropWorker(_ worker: Int, _ registration: WorkerMessage.Registration, in records: inout JobRecords) {
        for loader in registration.loaders { records.loaderNames.removeUse(loader.name) }
        scheduler.removeWorker(worker)
        questionOffers(of: worker)
        holdings[worker] = WorkerHolding()
    }

    /// Whether jobs may wait for a worker, and be given to it.
    mutating func noteReadiness(of worker: Int, _ readiness: WorkerReadiness) {
        guard worker < holdings.count, holdings[worker].isKnown else { return }
        guard holdings[worker].noteReadiness(readiness) else { return }
        questionOffers(of: worker)
        touch(worker)
    }

    /// What a paused worker offers has changed, or its pause has: jobs that nobody else would take wait for another reason.
    private mutating func questionOffers(of worker: Int) {
        if holdings[worker].isPaused { scheduler.questionOffers(of: holdings[worker].offered) }
    }

    /// The first worker that would take jobs of a loader were it not paused; nil: there is none.
    func pausedWorker(offering loader: Int) -> Int? {
        pauses.count == 0 ? nil : holdings.firstIndex { $0.isPaused && $0.readiness != .unavailable && $0.offer(loader) != nil }
    }

    /// Something has changed that a worker's room follows from.
    mutating func touch(_ worker: Int) { changed.note(worker) }

    /// Passes the scheduler the room of every changed worker, and ends the changes to its lines.
    mutating func flush(in slab: JobSlab) {
        scheduler.flush(in: slab)
        while let worker = changed.take() {
            if holdings[worker].isKnown { scheduler.setRoom(of: worker, to: holdings[worker].room(in: slab)) }
        }
    }

    /// Changes what counts in limits.
    mutating func limit<Answer>(_ change: (inout LimitTable) -> Answer) -> Answer { change(&scheduler.limits) }

    /// Jobs that have these terms and have not ended come in.
    mutating func enterLimits(of terms: Int, _ count: Int = 1, in records: JobRecords) {
        let set = Int(records.terms.lane(of: terms).limitSet)
        guard set != 0 else { return }
        scheduler.limits.notePriority(records.terms.priority(of: terms), of: terms)
        scheduler.limits.enter(set, jobs: count, records.limitKeys(of: set))
    }

    /// A job that stays where it stands has other terms.
    mutating func enterLimits(_ id: UInt64, in records: JobRecords) {
        enterLimits(of: Int(records.slab[id].terms), in: records)
        if records.slab[id].standing == .scheduled { scheduler.limits.count(scheduled: 1, of: Int(records.lane(of: id).limitSet)) }
    }

    /// A job has ended, or gets other terms.
    mutating func leaveLimits(_ id: UInt64, in records: JobRecords) {
        guard let set = limitSet(of: id, in: records) else { return }
        if records.slab[id].standing == .scheduled { scheduler.limits.count(scheduled: -1, of: set) }
        scheduler.limits.leave(set)
    }

    /// A loader, a group, or all loaders, or a worker is paused, or is no longer.
    mutating func apply(_ change: JournalEntry.PauseChanged, in records: inout JobRecords) {
        let old = pauses.apply(change)
        let isPaused = change.pause != nil
        guard old != nil || isPaused else { return }
        switch change.target {
        case .everything: scheduler.setPaused(nil, isPaused)
        case .loader(let name):
            hold(GroupMembers(loaders: isPaused ? [name] : []), insteadOf: GroupMembers(loaders: old == nil ? [] : [name]), in: &records)
        case .group: hold(change.pause?.members ?? GroupMembers(), insteadOf: old?.members ?? GroupMembers(), in: &records)
        case .worker(let name):
            for worker in holdings.indices where holdings[worker].isKnown && holdings[worker].name == name {
                holdings[worker].isPaused = true
                questionOffers(of: worker)
                holdings[worker].isPaused = isPaused
                touch(worker)
            }
        }
    }

    /// A pause holds these loaders and feeds from now on; others that it held are held where another pause holds them. Those that are held keep their
    /// names, so that the scheduler knows them before their first jobs.
    private mutating func hold(_ members: GroupMembers, insteadOf old: GroupMembers, in records: inout JobRecords) {
        for name in members.loaders.sorted() { _ = records.loaderNames.addUse(name) }
        for name in members.feeds.sorted() { records.terms.addUse(ofFeed: name) }
        // Also those that were held before: what waits has another reason.
        for name in members.loaders.union(old.loaders).sorted() {
            if let loader = records.loaderNames.index(of: name) { scheduler.setPaused(loader, pauses.holds(loader: name)) }
        }
        let feeds = members.feeds.union(old.feeds).sorted()
        scheduler.setHeld(feeds.compactMap { name in records.terms.feeds.index(of: name).map { ($0, pauses.holds(feed: name)) } })
        // Last, so that a name which both have is not given to another one in between.
        for name in old.loaders.sorted() { records.loaderNames.removeUse(name) }
        for name in old.feeds.sorted() { records.terms.removeUse(ofFeed: name) }
    }

    /// Asks the scheduler for what it notes that it was asked for.
    mutating func ask<Answer>(_ question: (inout Scheduler) -> Answer) -> Answer { question(&scheduler) }
}

/// What a worker offers, and the jobs that it holds.
struct WorkerHolding {
    /// Whether there is such a worker.
    private(set) var isKnown = false
    /// Its name.
    private(set) var name = ""
    /// Whether it gets no jobs for now.
    fileprivate(set) var isPaused = false
    /// The jobs it holds, oldest grant first.
    private(set) var held = JobLine()
    /// How many of them take a slot.
    private(set) var slotsTaken = 0
    /// How many of them were taken ahead.
    private(set) var bulkHeld = 0
    /// Bytes of what those work on.
    private var bulkByteCount = 0
    /// What it says of each of its loaders.
    private var declarations: [LoaderDeclaration] = []
    /// By a loader's index the place of what it says of it, from 1; 0: it does not offer it.
    private var offerPlaces: [UInt16] = []
    private var slots = 0
    private var prefetch = 0
    /// Whether it takes jobs unless it is paused.
    private(set) var readiness = WorkerReadiness.unavailable

    /// It has registered: its loaders have these indexes, in their order.
    mutating func note(_ registration: WorkerMessage.Registration, at indexes: [Int], isPaused: Bool) {
        (isKnown, name, self.isPaused) = (true, registration.name, isPaused)
        declarations = registration.loaders
        (slots, prefetch) = (Int(registration.slots), Int(registration.prefetch))
        offerPlaces = Array(repeating: 0, count: (indexes.max() ?? -1) + 1)
        for (place, index) in indexes.enumerated() where offerPlaces[index] == 0 { offerPlaces[index] = UInt16(exactly: place + 1) ?? 0 }
    }

    /// Whether jobs may wait for it, and be given to it.
    /// - Returns: whether that is new.
    mutating func noteReadiness(_ readiness: WorkerReadiness) -> Bool {
        guard self.readiness != readiness else { return false }
        self.readiness = readiness
        return true
    }

    /// Whether jobs may wait for it.
    var isOffering: Bool { readiness != .unavailable && !isPaused }

    /// Indexes of the loaders that it offers, ascending.
    var offered: [Int] { offerPlaces.indices.filter { offerPlaces[$0] != 0 } }

    /// Takes a job in hand that stands in no line: ahead if its loader is short here, otherwise into a slot.
    /// - Returns: whether ahead.
    mutating func hold(_ id: UInt64, in slab: inout JobSlab) -> Bool {
        let isBulk = offer(Int(slab[id].loader))?.isBulk ?? false
        if isBulk { (bulkHeld, bulkByteCount) = (bulkHeld + 1, bulkByteCount + slab[id].argument.byteCount) } else { slotsTaken += 1 }
        held.append(id, .held, in: &slab)
        return isBulk
    }

    /// Puts what it holds into the order of the grants: a checkpoint has it in the order of the numbers.
    fileprivate mutating func sortHeld(in slab: inout JobSlab) {
        held.sort(.held, in: &slab) { ($0.changedAt, $0.lease) < ($1.changedAt, $1.lease) }
    }

    /// Lets go of a job that it holds.
    mutating func letGo(_ id: UInt64, in slab: inout JobSlab) {
        if slab[id].flags.contains(.isBulk) {
            (bulkHeld, bulkByteCount) = (bulkHeld - 1, bulkByteCount - slab[id].argument.byteCount)
        } else {
            slotsTaken -= 1
        }
        held.remove(id, in: &slab)
    }

    // Asked for each grant, and therefore part of their callers: for a call the whole value would be copied.

    /// What the worker says of a loader; nil: it does not offer it.
    @inline(__always)
    func offer(_ loader: Int) -> LoaderDeclaration? {
        guard loader < offerPlaces.count, offerPlaces[loader] != 0 else { return nil }
        return declarations[Int(offerPlaces[loader]) - 1]
    }

    /// Whether it will take jobs of that loader once it has room: what a job waits for is a slot then, not a worker.
    @inline(__always)
    func serves(_ loader: Int) -> Bool { isOffering && offer(loader) != nil }

    /// From so many bytes on of what lies ahead nothing more is put there, or a worker that is away for a moment would find more on its way than
    /// may wait for it (`LoopSettings.outboxByteLimit`). 64 of the largest arguments run for a while.
    private static let aheadByteLimit = 4 << 20

    /// Its room. Without anything ahead, a bulk job still has the place of a slot.
    @inline(__always)
    func room(in slab: JobSlab) -> WorkerRoom {
        WorkerRoom(
            isOffering: isOffering, isTaking: readiness == .taking && !isPaused,
            aloneFor: held.count == 1 ? slab[held.first].aloneFor : nil, held: held.count, slots: slots,
            slotsTaken: slotsTaken, placesAhead: bulkByteCount < Self.aheadByteLimit ? max(prefetch, slots) : bulkHeld, takenAhead: bulkHeld
        )
    }
}
