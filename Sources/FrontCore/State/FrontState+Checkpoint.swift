//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension FrontState {
    /// Records of jobs as they are now, from `id` on, and where to go on; nil: that was the last slice.
    func slice(from id: UInt64, chunkLimit: Int) -> (facts: [Fact], next: UInt64?) {
        let (ids, next) = jobs.ids(from: id, chunkLimit: chunkLimit)
        guard !ids.isEmpty else { return ([], next) }
        var facts: [Fact] = []
        var stored = Fact.StoredJobs()
        var names: [UInt32: UInt32] = [:]
        var holders: Set<UInt32> = []
        for id in ids {
            let record = jobs[id]
            // A worker that registered since the checkpoint began is not in its first slice: without it the job would seem to wait.
            if record.place == .held, holders.insert(record.worker).inserted, let worker = workers[Int(record.worker)], worker.life == life
            {
                facts.append(.workerAttached(worker.id, worker.attachment, worker.registration))
            }
            if let job = feedJobs[id]?.job { facts.append(.feedJobAccepted(job)) }
            if names[record.loader] == nil {
                names[record.loader] = UInt32(stored.loaders.count)
                stored.loaders.append(loaderNames[Int(record.loader)])
            }
            store(record, loader: names[record.loader] ?? 0, in: &stored)
        }
        facts.append(.jobsStored(stored))
        return (facts, next)
    }

    private func store(_ record: JobRecord, loader: UInt32, in stored: inout Fact.StoredJobs) {
        let index = UInt32(stored.jobs.count)
        stored.jobs.append(record.id)
        stored.sessions.append(record.session)
        stored.ranks.append(record.rank)
        stored.acceptedAt.append(record.acceptedAt)
        stored.changedAt.append(record.changedAt)
        stored.leases.append(record.lease)
        stored.workers.append(record.place == .held ? workers[Int(record.worker)]?.id.rawValue ?? 0 : 0)
        stored.states.append(record.state.rawValue)
        stored.priorities.append(record.priority)
        stored.deaths.append(record.deaths)
        stored.flags.append(record.flags.intersection([.reportsOutcome, .suspected, .isFeedJob]).rawValue)
        stored.attempts.append(record.attempts)
        stored.loaderIndexes.append(loader)
        stored.lengths.append(record.blob.byteCount)
        arena.copy(record.blob, to: &stored.bytes)
        if let failure = failures[record.id] { stored.failures.append(Indexed(index: index, value: failure)) }
        if let receipt = cancels[record.id] { stored.cancels.append(Indexed(index: index, value: receipt)) }
    }

    /// Everything but jobs, as facts: what a checkpoint begins with.
    func baseFacts() -> [Fact] {
        var facts: [Fact] = [
            .countsStored(
                counts, nextJob: JobID(nextJob), nextLease: LeaseID(nextLease), nextAttachment: AttachmentNumber(nextAttachment),
                lastRankTime: lastRankTime),
            .idsReserved(jobs: JobID(reservedJobs), leases: LeaseID(reservedLeases)),
        ]
        for id in sessionOrder {
            guard let session = sessions[id.rawValue] else { continue }
            facts.append(.sessionOpened(id, label: session.label, role: session.role, nonce: session.nonce))
            for kept in session.replies { facts.append(.replyKept(id, kept)) }
        }
        facts += workersByLife
        for key in feedOrder {
            guard let feed = feeds[key] else { continue }
            for damaged in feed.damaged {
                var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
                earlier.failure = Failure(id: .none, damaged: damaged.object, at: damaged.foundAt, text: "", retryable: false)
                facts.append(.feedChanged(earlier, isAskedFor: false))
            }
            for content in feed.older {
                var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
                earlier.content = content
                facts.append(.feedChanged(earlier, isAskedFor: false))
            }
            facts.append(.feedChanged(feed.state, isAskedFor: feed.isAskedFor, nextVersion: ContentVersion(feed.nextVersion)))
            for name in feed.viewNames {
                guard let view = feed.views[name] else { continue }
                facts.append(.viewChanged(key, view, selectedAfter: feed.selectedAfter[name] ?? .none))
            }
        }
        return facts
    }

    /// The lives of the front that matter, each before the workers that registered last in it.
    private var workersByLife: [Fact] {
        var facts: [Fact] = []
        func append(workersOf life: Epoch) {
            for case let worker? in workers where worker.life == life {
                facts.append(.workerAttached(worker.id, worker.attachment, worker.registration))
            }
        }
        // Of workers whose life is not listed any more, the first listed one counts.
        let listed = Set(lives.map(\.epoch))
        for case let worker? in workers where !listed.contains(worker.life) {
            facts.append(.workerAttached(worker.id, worker.attachment, worker.registration))
        }
        for life in lives {
            facts.append(.epochBegan(life))
            append(workersOf: life.epoch)
        }
        return facts
    }

    /// Marks every record that a checkpoint's first slice brought: facts up to that turn are in it.
    mutating func markStored(turn: UInt64) {
        for id in sessionOrder { sessions[id.rawValue]?.storedTurn = turn }
        for index in workers.indices { workers[index]?.storedTurn = turn }
        for key in feedOrder { feeds[key]?.storedTurn = turn }
    }

    /// Takes jobs over that a checkpoint stored.
    mutating func restore(_ stored: Fact.StoredJobs, turn: UInt64) {
        var offset = 0
        for (index, id) in stored.jobs.enumerated() {
            let length = Int(stored.lengths[index])
            let blob = offset..<offset + length
            offset += length
            guard let state = JobState(rawValue: stored.states[index]) else { continue }
            let loader = loaderNames.addJob(stored.loaders[Int(stored.loaderIndexes[index])])
            if !jobs.contains(id) {
                var record = JobRecord()
                record.id = id
                jobs.insert(record)
            } else {
                detach(id)
                bytes.queued -= queuedByteCount(of: id)
                arena.release(jobs[id].blob)
                loaderNames.changeJobs(at: Int(jobs[id].loader), by: -1)
            }
            jobs[id].session = stored.sessions[index]
            jobs[id].rank = stored.ranks[index]
            jobs[id].acceptedAt = stored.acceptedAt[index]
            jobs[id].changedAt = stored.changedAt[index]
            jobs[id].priority = stored.priorities[index]
            jobs[id].deaths = stored.deaths[index]
            jobs[id].flags = JobRecord.Flags(rawValue: stored.flags[index])
            jobs[id].attempts = stored.attempts[index]
            jobs[id].loader = UInt32(loader)
            jobs[id].blob = arena.store(stored.bytes, blob)
            jobs[id].storedTurn = turn
            place(id, state, lease: stored.leases[index], worker: WorkerID(stored.workers[index]))
            nextJob = max(nextJob, id + 1)
            nextLease = max(nextLease, stored.leases[index] + 1)
            noteRank(stored.ranks[index], priority: stored.priorities[index])
        }
        for entry in stored.failures { failures[stored.jobs[Int(entry.index)]] = entry.value }
        for id in stored.jobs where jobs.contains(id) {
            if jobs[id].state.isFinal { noteEnded(id) } else { bytes.queued += queuedByteCount(of: id) }
        }
        for entry in stored.cancels { cancels[stored.jobs[Int(entry.index)]] = entry.value }
    }

    private mutating func place(_ id: UInt64, _ state: JobState, lease: UInt64, worker: WorkerID) {
        if state.isFinal {
            jobs[id].state = state
            if feedJobs[id] != nil { leaveLine(id) }
            remember(id, state)
        } else if let index = workerIndexes[worker], state != .waiting {
            hold(id, worker: index, lease: lease, state: state)
        } else if let job = feedJobs[id]?.job, let line = FeedRecord.line(of: job.operation),
            let first = feeds[job.key]?[keyPath: line].first, first != .none, first.rawValue != id
        {
            jobs[id].state = .waiting
            count(.waiting, 1)
        } else {
            lineUp(id)
        }
    }

    /// Takes totals over that a checkpoint stored; what is counted from live jobs is counted anew.
    mutating func restore(_ stored: JobCounts, _ job: JobID, _ lease: LeaseID, _ attachment: AttachmentNumber, _ rank: Int64, turn: UInt64)
    {
        countsTurn = turn
        counts.succeeded = stored.succeeded
        counts.failed = stored.failed
        counts.cancelled = stored.cancelled
        counts.quarantined = stored.quarantined
        lastRankTime = max(lastRankTime, rank)
        nextJob = max(nextJob, job.rawValue)
        nextLease = max(nextLease, lease.rawValue)
        nextAttachment = max(nextAttachment, attachment.rawValue)
    }
}
