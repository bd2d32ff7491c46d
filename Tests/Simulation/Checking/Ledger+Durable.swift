//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryModel
import GantryWire

/// Nothing leaves before it is durable: whatever the front sends is looked up in the rows that are on the disk.
extension Ledger {
    /// The loop hands a row over; one that was in doubt comes again as it was, and the disk compares it if it was written.
    func appended(_ row: JournalRow) {
        if row.turn <= world.disk.lastTurn { return }
        if let known = durable.underWay.first(where: { $0.row.turn == row.turn }) {
            if known.row != row { world.violate(.rowsInOrder, "turn \(row.turn) comes again with other bytes") }
            return
        }
        durable.lastTurn = row.turn
        do {
            let entries = try WireCodec().decodeEntries(row.entries)
            durable.underWay.append((row, entries))
            rates.take(entries)
            checkLosses(entries)
        } catch {
            world.violate(.rowsAreReadable, "\(error)")
        }
    }

    /// A row is on the disk, whether the front hears of it or not.
    func becameDurable(_ row: JournalRow) {
        guard let index = durable.underWay.firstIndex(where: { $0.row.turn == row.turn }) else { return }
        do throws(CodecError) {
            try follower.take(row, durable.underWay[index].entries, durable: shadow, underWay: durable.underWay)
        } catch {
            return world.violate(.rowsAreReadable, "\(error)")
        }
        let written = durable.underWay.remove(at: index).entries
        queue.pauses.now = world.now
        for finding in queue.take(written, at: world.wall) { world.violate(finding.promise, finding.text) }
        for entry in written {
            checkObjects(of: entry)
            noteViews(in: entry)
            saves.take(entry)
            noteBounds(in: entry)
            if case .workerRegistered(let registered) = entry { offeredLoaders.formUnion(registered.registration.loaders.map(\.name)) }
            if case .workLeft(let left) = entry, left.cursor != nil { world.mayKillAtWork() }
            if case .cancelRequested(let cancel) = entry { watchCancel(of: cancel.job) }
        }
        do throws(CodecError) {
            try shadow.restore(written, turn: row.turn, isSlice: false)
        } catch {
            return world.violate(.rowsAreReadable, "\(error)")
        }
        durable.take(written)
        for case .granted(let granted) in written { checkOptions(of: granted) }
    }

    /// A new epoch of the front begins.
    func frontBegins(_ epoch: Epoch) {
        leases.begin(epoch)
        epochCount += 1
        guard isMemory else { return }
        // Its jobs are gone with the epoch that accepted them.
        for job in acceptedJobs where entries[job]?.state == nil { entries[job]?.isForgotten = true }
    }

    /// A life of the front has ended; what was not durable never happened.
    func frontDied() {
        durable.underWay = []
        follower = Follower(shadow, last: world.disk.lastTurn)
    }

    /// The front hands a frame to a socket.
    func willSend(_ bytes: [UInt8], to peer: PeerID, isWorker: Bool) {
        do {
            if isWorker {
                for message in try WireCodec().decodeWorkerBound(bytes).messages {
                    world.note("from the front to peer \(peer): \(message)")
                    check(message, peer)
                    noteBounds(in: message)
                }
            } else {
                let envelope = try WireCodec().decodeFront(bytes)
                for message in envelope.messages { check(message, envelope, peer) }
                noteBounds(in: envelope, byteCount: bytes.count, to: peer)
            }
        } catch {
            world.violate(.framesAreReadable, "\(error)")
        }
    }

    private func check(_ message: WorkerBoundMessage, _ peer: PeerID) {
        guard !isMemory else { return }
        switch message {
        case .grant(let grant):
            for (job, lease) in zip(grant.jobs, grant.leases) { queue.sent(job, under: lease) }
            for (job, lease) in zip(grant.jobs, grant.leases) where durable.leases[lease] != job {
                world.violate(.durableBeforeSent, "the grant of job \(job) under lease \(lease)")
            }
        case .registered(let registered):
            if !durable.registrationNumbers.contains(registered.registrationNumber) {
                world.violate(.durableBeforeSent, "registration \(registered.registrationNumber)")
            }
            for decision in registered.decisions where decision.decision != .drop && durable.leases[decision.renewed.rawValue] == nil {
                world.violate(.durableBeforeSent, "lease \(decision.renewed) of a re-attachment")
            }
        case .cancel(let leases), .renewed(_, let leases):
            for lease in leases where !durable.cancels.contains(durable.leases[lease] ?? 0) {
                world.violate(.durableBeforeSent, "the cancel of lease \(lease)")
            }
        case .acknowledged(let reports): checkAcknowledged(reports, to: peer)
        case .reregister, .drain, .refused: break
        case .unknown, .unreadable: world.violate(.framesAreReadable, "\(message)")
        }
    }

    private func check(_ message: FrontMessage, _ envelope: FrontEnvelope, _ peer: PeerID) {
        switch message {
        case .welcome(let welcome):
            if !isMemory, !durable.sessions.contains(welcome.session) { world.violate(.durableBeforeSent, "session \(welcome.session)") }
        case .reply(let number, let reply, _):
            check(reply)
            if case .refused(let failure, _) = reply, let fault = refusals.fault(of: failure, to: number, of: envelope.session) {
                world.violate(.refusalsAreKnown, fault)
            }
        case .answers(let answers):
            for (job, state) in zip(answers.jobs, answers.states) where !isMemory && durable.ends[job] != state {
                world.violate(.durableBeforeSent, "the end of job \(job)")
            }
        case .snapshot(let part): noteSnapshot(part, envelope.epoch, to: peer)
        case .sessionEnded, .snapshotRefused, .refused, .heartbeat, .resumeFirst: break
        case .unknown: world.violate(.framesAreReadable, "a message to peer \(peer)")
        }
    }

    private func check(_ reply: Reply) {
        guard !isMemory else { return }
        switch reply {
        case .accepted(let job, _): checkAccepted(job.rawValue)
        case .jobsAccepted(let first, let count, _, _):
            for offset in 0..<UInt64(count) { checkAccepted(first.rawValue + offset) }
        case .cancelling(let job):
            if !durable.cancels.contains(job.rawValue), durable.ends[job.rawValue] == nil {
                world.violate(.durableBeforeSent, "the cancel of job \(job)")
            }
        case .alreadyEnded(let job, let state): checkEnd(job, state)
        case .jobs(let jobs, _, _): for job in jobs { check(job) }
        case .explanation(let timeline): check(timeline.job)
        case .done, .refused, .feeds, .selected: break
        }
    }

    private func checkAccepted(_ job: UInt64) {
        if !durable.jobs.contains(job) { world.violate(.durableBeforeSent, "the acceptance of job \(job)") }
    }

    private func check(_ job: JobSummary) {
        checkAccepted(job.id.rawValue)
        if job.state.isFinal { checkEnd(job.id, job.state) }
    }

    private func checkEnd(_ job: JobID, _ state: JobState) {
        if durable.ends[job.rawValue] != state { world.violate(.durableBeforeSent, "the end of job \(job)") }
    }

    /// The front publishes a change or a bookmark.
    func willPublish(_ bytes: [UInt8], under frame: [UInt8]) {
        do {
            let publication = try WireCodec().decodePublication(bytes)
            if case .change(let change) = publication {
                for put in change.puts { check(try WireCodec().decodeItem(put.value)) }
            }
            note(publication, under: frame)
        } catch {
            world.violate(.framesAreReadable, "\(error)")
        }
    }

    private func check(_ item: ItemValue) {
        switch item {
        case .job(let job): if !isMemory { check(job) }
        case .feed(let feed):
            if durable.feeds[feed.key]?.contains(feed) != true { world.violate(.durableBeforeSent, "a state of feed \(feed.key)") }
        // What else there is says nothing that has to be durable.
        default: break
        }
    }
}

/// What the journal's durable rows say, read from their bytes.
struct DurableEntries {
    /// Rows that were handed over and are not on the disk, oldest first, with their entries.
    var underWay: [(row: JournalRow, entries: [JournalEntry])] = []
    /// The turn of the row that was handed over last.
    var lastTurn = TurnNumber(1)
    private(set) var jobs: Set<UInt64> = []
    /// How each is to be run.
    private(set) var options: [UInt64: JobOptions] = [:]
    private(set) var ends: [UInt64: JobState] = [:]
    private(set) var cancels: Set<UInt64> = []
    /// The job of each lease.
    private(set) var leases: [UInt64: UInt64] = [:]
    /// The newest lease of each job.
    private(set) var newestLeases: [UInt64: UInt64] = [:]
    private(set) var sessions: Set<SessionID> = []
    private(set) var registrationNumbers: Set<RegistrationNumber> = []
    private(set) var feeds: [FeedKey: [FeedState]] = [:]
    private(set) var views: [Topic: [ViewState]] = [:]
    /// Jobs that a worker holds.
    private(set) var held: Set<UInt64> = []
    /// Work that is left to do, by its name.
    private(set) var work: Set<String> = []
    /// The last state of each feed and each view that is not forgotten.
    private(set) var lastFeeds: [FeedKey: FeedState] = [:]
    private(set) var lastViews: [FeedKey: [String: ViewState]] = [:]

    /// The job that one repeats, if it does: both are of the same request.
    func origin(of job: JobID) -> JobID {
        var origin = job
        while let earlier = options[origin.rawValue]?.retryOf { origin = earlier }
        return origin
    }

    /// A row is on the disk.
    mutating func take(_ entries: [JournalEntry]) {
        for entry in entries { take(entry) }
    }

    /// Whether a row that is under way changes how a job is run.
    func isChanging(_ job: JobID) -> Bool {
        underWay.contains { _, entries in entries.changesTerms(of: job) }
    }

    private mutating func take(_ entry: JournalEntry) {
        takeJobs(of: entry)
        takeFeeds(of: entry)
        if case .workLeft(let left) = entry {
            if left.cursor == nil { work.remove(left.work.name) } else { work.insert(left.work.name) }
        }
        if case .sessionOpened(let opened) = entry { sessions.insert(opened.session) }
        if case .workerRegistered(let registered) = entry { registrationNumbers.insert(registered.registrationNumber) }
    }

    private mutating func takeJobs(of entry: JournalEntry) {
        if case .jobsAccepted(let accepted) = entry {
            for offset in 0..<accepted.arguments.count {
                jobs.insert(accepted.first.rawValue + UInt64(offset))
                options[accepted.first.rawValue + UInt64(offset)] = accepted.options[offset].lasting
            }
        }
        if case .feedJobAccepted(let job) = entry {
            jobs.insert(job.job.rawValue)
            options[job.job.rawValue] = job.options
        }
        if case .jobReplaced(let replaced) = entry { options[replaced.job.rawValue] = replaced.options.lasting }
        if case .granted(let granted) = entry {
            for (job, lease) in zip(granted.jobs, granted.leases) {
                leases[lease] = job
                newestLeases[job] = lease
            }
            held.formUnion(granted.jobs)
        }
        if case .ended(let ended) = entry {
            for (job, state) in zip(ended.jobs, ended.states) { ends[job] = state }
            held.subtract(ended.jobs)
        }
        if case .cancelRequested(let cancel) = entry { cancels.insert(cancel.job.rawValue) }
        if case .termsChanged(let change) = entry {
            // A unique key is no part of the terms, and stays.
            let key = options[change.job.rawValue]?.uniqueKey
            options[change.job.rawValue] = change.options
            options[change.job.rawValue]?.uniqueKey = key
        }
        if case .attemptsEnded(let ended) = entry { held.subtract(ended.jobs.map(\.job.rawValue)) }
    }

    private mutating func takeFeeds(of entry: JournalEntry) {
        if case .feedChanged(let changed) = entry {
            feeds[changed.state.key, default: []].append(changed.state)
            lastFeeds[changed.state.key] = changed.state
        }
        if case .viewChanged(let changed) = entry {
            views[.view(changed.key, changed.view.name), default: []].append(changed.view)
            lastViews[changed.key, default: [:]][changed.view.name] = changed.view
        }
        if case .feedForgotten(let forgotten) = entry { (lastFeeds[forgotten.key], lastViews[forgotten.key]) = (nil, nil) }
        if case .viewForgotten(let forgotten) = entry { lastViews[forgotten.key]?[forgotten.view] = nil }
    }
}

extension [JournalEntry] {
    /// Whether one of them changes how a job is run.
    func changesTerms(of job: JobID) -> Bool {
        contains { entry in
            if case .jobReplaced(let replaced) = entry { return replaced.job == job }
            guard case .termsChanged(let change) = entry else { return false }
            return change.job == job
        }
    }
}
