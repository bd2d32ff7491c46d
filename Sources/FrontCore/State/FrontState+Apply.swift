//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontState {
    /// Changes the state by one fact. Total: a fact about something that is not there changes nothing.
    ///
    /// `turn` is the row's turn at restart; a record that a checkpoint stored at that turn or later has the fact in it already.
    /// While serving it is larger than any stored turn.
    mutating func apply(_ fact: Fact, turn: UInt64) {
        switch fact {
        case .sessionOpened(let id, let label, let role, _): open(id, label: label, role: role, turn: turn)
        case .sessionEnded(let id): endSession(id, turn: turn)
        case .replyKept(let id, let kept): sessions[id.rawValue]?.keep(kept)
        case .jobsAccepted(let accepted): accept(accepted, turn: turn)
        case .feedJobAccepted(let job): accept(job, turn: turn)
        case .granted(let granted): grant(granted, turn: turn)
        case .returned(let ids): for id in ids { giveBack(id, turn: turn) }
        case .requeued(let jobs): for job in jobs { requeue(job, turn: turn) }
        case .ended(let ended): end(ended, turn: turn)
        case .cancelRequested(let job, let by, let at): requestCancel(job, by: by, at: at, turn: turn)
        case .workerAttached(let id, let number, let registration): attach(id, number, registration, turn: turn)
        case .workerLost(let id): loseWorker(id, turn: turn)
        case .feedChanged(let state, let isAskedFor, _): change(state, isAskedFor: isAskedFor, turn: turn)
        case .feedForgotten(let key): forgetFeed(key, turn: turn)
        case .viewChanged(let key, let view, let selectedAfter): change(view, of: key, selectedAfter, turn: turn)
        case .viewForgotten(let key, let name): forgetView(name, of: key, turn: turn)
        case .idsReserved(let jobs, let leases): reserve(jobs: jobs.rawValue, leases: leases.rawValue)
        case .jobsStored(let stored): restore(stored, turn: turn)
        case .countsStored(let counts, let job, let lease, let attachment, _): restore(counts, job, lease, attachment, turn: turn)
        case .epochBegan: break
        }
    }

    private mutating func open(_ id: SessionID, label: String, role: String, turn: UInt64) {
        guard sessions[id.rawValue] == nil else { return }
        sessions[id.rawValue] = SessionRecord(id: id, label: label, role: role)
        sessionOrder.append(id)
    }

    private mutating func endSession(_ id: SessionID, turn: UInt64) {
        guard let session = sessions[id.rawValue], session.storedTurn < turn else { return }
        sessions[id.rawValue] = nil
        sessionOrder.removeAll { $0 == id }
    }

    private mutating func reserve(jobs: UInt64, leases: UInt64) {
        reservedJobs = max(reservedJobs, jobs)
        reservedLeases = max(reservedLeases, leases)
    }

    private mutating func change(_ feed: FeedState, isAskedFor: Bool, turn: UInt64) {
        var record = feeds[feed.key] ?? FeedRecord(state: feed)
        guard record.storedTurn < turn else { return }
        if feeds[feed.key] == nil { feedOrder.append(feed.key) }
        let named = record.contentNames
        record.keepOlder(before: feed)
        record.state = feed
        objectNames.replace(named, by: record.contentNames, of: feed.key)
        record.isAskedFor = isAskedFor
        if let version = feed.content?.version.rawValue { record.nextVersion = max(record.nextVersion, version + 1) }
        // A failure that no job had has a number of its own.
        if let failure = feed.failure?.id.rawValue { nextJob = max(nextJob, failure + 1) }
        feeds[feed.key] = record
    }

    private mutating func forgetFeed(_ key: FeedKey, turn: UInt64) {
        guard let record = feeds[key], record.storedTurn < turn else { return }
        objectNames.replace(record.contentNames + record.views.values.flatMap(\.objectNames), by: [], of: key)
        feeds[key] = nil
        feedOrder.remove(key)
    }

    /// Forgets feeds that only ended jobs of an earlier life brought back: a feed that is known has its `shared` view.
    mutating func forgetGhosts() {
        for key in Array(feedOrder) {
            guard let feed = feeds[key], feed.viewNames.isEmpty, feed.loadLine.isEmpty, feed.editLine.isEmpty else { continue }
            feeds[key] = nil
            feedOrder.remove(key)
        }
    }

    private mutating func change(_ view: ViewState, of key: FeedKey, _ selectedAfter: JobID, turn: UInt64) {
        guard feeds[key].map({ $0.storedTurn < turn }) ?? false else { return }
        objectNames.replace(feeds[key]?.views[view.name]?.objectNames ?? [], by: view.objectNames, of: key)
        feeds[key]?.selectedAfter[view.name] = selectedAfter == .none ? nil : selectedAfter
        if feeds[key]?.views.updateValue(view, forKey: view.name) == nil { feeds[key]?.viewNames.append(view.name) }
    }

    private mutating func forgetView(_ name: String, of key: FeedKey, turn: UInt64) {
        guard feeds[key].map({ $0.storedTurn < turn }) ?? false else { return }
        objectNames.replace(feeds[key]?.views[name]?.objectNames ?? [], by: [], of: key)
        feeds[key]?.selectedAfter[name] = nil
        feeds[key]?.views[name] = nil
        feeds[key]?.viewNames.removeAll { $0 == name }
    }

    private mutating func attach(
        _ id: WorkerID, _ number: AttachmentNumber, _ registration: WorkerMessage.Registration, turn: UInt64
    ) {
        nextAttachment = max(nextAttachment, number.rawValue + 1)
        for loader in registration.loaders { _ = loaderIndex(loader.name) }
        var kept = registration
        kept.held = []
        let index: Int
        if let known = workerIndexes[id] {
            index = known
            guard (workers[known]?.storedTurn ?? 0) < turn else { return }
            workers[known]?.registration = kept
            workers[known]?.attachment = number
        } else {
            index = workers.firstIndex { $0 == nil } ?? workers.count
            if index == workers.count { workers.append(nil) }
            workers[index] = WorkerRecord(id: id, registration: kept, attachment: number)
            workerIndexes[id] = index
        }
        refreshOffers(ofWorker: index)
    }

    private mutating func loseWorker(_ id: WorkerID, turn: UInt64) {
        guard let index = workerIndexes[id], let worker = workers[index], worker.storedTurn < turn else { return }
        // Jobs that are still held were re-granted or ended by later facts of an interrupted replay; none remain while serving.
        while let worker = workers[index], !worker.held.isEmpty { detach(worker.held.first) }
        workers[index] = nil
        workerIndexes[id] = nil
    }
}
