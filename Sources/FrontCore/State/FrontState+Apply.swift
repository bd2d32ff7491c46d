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
        case .sessionOpened(let id, let label, let role, let nonce): open(id, label: label, role: role, nonce: nonce)
        case .sessionEnded(let id): endSession(id, turn: turn)
        case .replyKept(let id, let kept): keep(kept, for: id)
        case .jobsAccepted(let accepted): accept(accepted, turn: turn)
        case .feedJobAccepted(let job): accept(job, turn: turn)
        case .granted(let granted): grant(granted, turn: turn)
        case .returned(let ids): for id in ids { giveBack(id, turn: turn) }
        case .requeued(let jobs): for job in jobs { requeue(job, turn: turn) }
        case .ended(let ended): end(ended, turn: turn)
        case .cancelRequested(let job, let by, let at): requestCancel(job, by: by, at: at, turn: turn)
        case .workerAttached(let id, let number, let registration): attach(id, number, registration, turn: turn)
        case .workerLost(let id): loseWorker(id, turn: turn)
        case .feedChanged(let state, let isAskedFor, let next): change(state, isAskedFor: isAskedFor, nextVersion: next, turn: turn)
        case .feedForgotten(let key): forgetFeed(key, turn: turn)
        case .viewChanged(let key, let view, let selectedAfter): change(view, of: key, selectedAfter, turn: turn)
        case .viewForgotten(let key, let name): forgetView(name, of: key, turn: turn)
        case .idsReserved(let jobs, let leases): reserve(jobs: jobs.rawValue, leases: leases.rawValue)
        case .jobsStored(let stored): restore(stored, turn: turn)
        case .countsStored(let counts, let job, let lease, let attachment, let rank):
            restore(counts, job, lease, attachment, rank, turn: turn)
        case .epochBegan(let life): begin(life)
        }
        noteRooms()
    }

    private mutating func open(_ id: SessionID, label: String, role: String, nonce: UInt64) {
        guard sessions[id.rawValue] == nil else { return }
        var session = SessionRecord(id: id, label: label, role: role, nonce: nonce)
        session.client = clientNames.add(label)
        sessions[id.rawValue] = session
        if nonce != 0 { sessionNonces[nonce] = id }
        sessionOrder.append(id)
    }

    private mutating func endSession(_ id: SessionID, turn: UInt64) {
        guard let session = sessions[id.rawValue], session.storedTurn < turn else { return }
        sessions[id.rawValue] = nil
        keptByteCount -= session.keptByteCount
        clientNames.change(at: session.client, by: -1)
        if sessionNonces[session.nonce] == id { sessionNonces[session.nonce] = nil }
        sessionOrder.remove(id)
    }

    private mutating func reserve(jobs: UInt64, leases: UInt64) {
        reservedJobs = max(reservedJobs, jobs)
        reservedLeases = max(reservedLeases, leases)
    }

    private mutating func change(_ feed: FeedState, isAskedFor: Bool, nextVersion: ContentVersion, turn: UInt64) {
        var record = feeds[feed.key] ?? FeedRecord(state: feed)
        guard record.storedTurn < turn else { return }
        if feeds[feed.key] == nil { feedOrder.append(feed.key) }
        // Of a feed that comes with its content, as from a checkpoint, nothing is named yet.
        let named = feeds[feed.key]?.contentNames ?? []
        record.isPlaceholder = false
        record.keepOlder(before: feed)
        record.state = feed
        objectNames.replace(named, by: record.contentNames, of: feed.key)
        record.isAskedFor = isAskedFor
        record.nextVersion = max(record.nextVersion, nextVersion.rawValue)
        if let version = feed.content?.version.rawValue { record.nextVersion = max(record.nextVersion, version + 1) }
        // A failure that no job had has a number of its own.
        if let failure = feed.failure?.id.rawValue { nextJob = max(nextJob, failure + 1) }
        feeds[feed.key] = record
    }

    private mutating func forgetFeed(_ key: FeedKey, turn: UInt64) {
        guard let record = feeds[key], record.storedTurn < turn else { return }
        objectNames.replace(record.contentNames + record.views.values.flatMap(\.objectNames), by: [], of: key)
        viewCount -= record.views.count
        for name in record.viewNames { bytes.details -= record.views[name]?.detail.byteCount ?? 0 }
        feeds[key] = nil
        feedOrder.remove(key)
    }

    private mutating func change(_ view: ViewState, of key: FeedKey, _ selectedAfter: JobID, turn: UInt64) {
        guard feeds[key].map({ $0.storedTurn < turn }) ?? false else { return }
        objectNames.replace(feeds[key]?.views[view.name]?.objectNames ?? [], by: view.objectNames, of: key)
        feeds[key]?.selectedAfter[view.name] = selectedAfter == .none ? nil : selectedAfter
        bytes.details += view.detail.byteCount
        if let old = feeds[key]?.views.updateValue(view, forKey: view.name) {
            bytes.details -= old.detail.byteCount
        } else {
            feeds[key]?.viewNames.append(view.name)
            viewCount += 1
        }
    }

    private mutating func forgetView(_ name: String, of key: FeedKey, turn: UInt64) {
        guard feeds[key].map({ $0.storedTurn < turn }) ?? false else { return }
        guard let old = feeds[key]?.views.removeValue(forKey: name) else { return }
        objectNames.replace(old.objectNames, by: [], of: key)
        feeds[key]?.selectedAfter[name] = nil
        feeds[key]?.viewNames.removeAll { $0 == name }
        bytes.details -= old.detail.byteCount
        viewCount -= 1
    }

    private mutating func attach(
        _ id: WorkerID, _ number: AttachmentNumber, _ registration: WorkerMessage.Registration, turn: UInt64
    ) {
        nextAttachment = max(nextAttachment, number.rawValue + 1)
        var kept = registration
        kept.held = []
        let index: Int
        if let known = workerIndexes[id] {
            index = known
            guard let worker = workers[known], worker.storedTurn < turn else { return }
            for loader in worker.registration.loaders { loaderNames.removeDeclaration(loader.name) }
            workers[known]?.registration = kept
            workers[known]?.attachment = number
        } else {
            index = workers.makeIndex()
            workers[index] = WorkerRecord(id: id, registration: kept, attachment: number)
            workerIndexes[id] = index
        }
        let life = life
        workers[index]?.life = life
        var indexes: [Int] = []
        for loader in kept.loaders { indexes.append(loaderNames.addDeclaration(loader.name)) }
        workers[index]?.noteOffers(at: indexes)
        let offered = Set(indexes).sorted()
        let ahead = offered.filter { workers[index]?.offer($0)?.isShort ?? false }
        scheduler.setOffers(of: index, slot: offered.filter { !ahead.contains($0) }, ahead: ahead, in: jobs)
    }

    private mutating func loseWorker(_ id: WorkerID, turn: UInt64) {
        guard let index = workerIndexes[id], let worker = workers[index], worker.storedTurn < turn else { return }
        // None is held any more: facts before this one have dealt with each. If one were, it must not vanish from all lines and counts.
        while let worker = workers[index], !worker.held.isEmpty {
            let id = worker.held.first
            detach(id)
            lineUp(id)
        }
        for loader in worker.registration.loaders { loaderNames.removeDeclaration(loader.name) }
        scheduler.removeWorker(index)
        workers[index] = nil
        workerIndexes[id] = nil
    }
}
