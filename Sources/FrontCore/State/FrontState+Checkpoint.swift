//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import Model

extension FrontState {
    /// Records of jobs as they are now, from `id` on, and where to go on; nil: that was the last slice. It ends with the job that brings it
    /// to `byteLimit`.
    func slice(from id: UInt64, chunkLimit: Int, byteLimit: Int = .max) -> (facts: [Fact], next: UInt64?) {
        var (ids, next) = jobs.ids(from: id, chunkLimit: chunkLimit)
        guard !ids.isEmpty else { return ([], next) }
        let fitting = fittingCount(of: ids, within: byteLimit)
        if fitting < ids.count {
            next = ids[fitting]
            ids.removeSubrange(fitting...)
        }
        var facts: [Fact] = []
        var stored = Fact.StoredJobs()
        var names: [UInt32: UInt32] = [:]
        var terms: [UInt32: UInt32] = [:]
        var holders: Set<UInt16> = []
        for id in ids {
            let record = jobs[id]
            // A worker that registered since the checkpoint began is not in its first slice: without it the job would seem to wait.
            if record.place == .held, holders.insert(record.worker).inserted, let worker = workers[Int(record.worker)], worker.life == life
            {
                facts.append(worker.attached)
            }
            if let job = feedJobs[id]?.job { facts.append(.feedJobAccepted(job)) }
            if names[record.loader] == nil {
                names[record.loader] = UInt32(stored.loaders.count)
                stored.loaders.append(loaderNames[Int(record.loader)])
            }
            if terms[record.terms] == nil {
                terms[record.terms] = UInt32(stored.terms.count)
                stored.terms.append(self.terms(of: record))
            }
            stored.termIndexes.append(terms[record.terms] ?? 0)
            store(record, loader: names[record.loader] ?? 0, in: &stored)
        }
        facts.append(.jobsStored(stored))
        return (facts, next)
    }

    /// How many of these jobs go into one slice: those up to the one that brings it to `byteLimit`.
    private func fittingCount(of ids: [UInt64], within byteLimit: Int) -> Int {
        var byteCount = 0
        var terms: Set<UInt32> = []
        for (index, id) in ids.enumerated() {
            if index > 0, byteCount >= byteLimit { return index }
            if terms.insert(jobs[id].terms).inserted { byteCount += self.terms(of: jobs[id]).options.byteCount }
            byteCount += RoughSize.record + (jobs[id].state.isFinal ? endedByteCount(of: id) : queuedByteCount(of: id))
        }
        return ids.count
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
        stored.deaths.append(record.deaths)
        stored.flags.append(record.flags.intersection([.reportsOutcome, .suspected, .isFeedJob]).rawValue)
        stored.attempts.append(record.attempts)
        stored.loaderIndexes.append(loader)
        stored.payloads.append(arena[record.blob])
        if let failure = failures[record.id] { stored.failures.append(Indexed(index: index, value: failure)) }
        if let receipt = cancels[record.id] { stored.cancels.append(Indexed(index: index, value: receipt)) }
    }

    /// What a checkpoint begins with: what is neither a session, nor a feed, nor a job.
    var headFacts: [Fact] {
        let stored = Fact.CountsStored(
            counts, nextJob: JobID(nextJob), nextLease: LeaseID(nextLease), nextAttachment: AttachmentNumber(nextAttachment),
            lastRankTime: lastRankTime)
        let reserved = Fact.IDsReserved(jobs: JobID(reservedJobs), leases: LeaseID(reservedLeases))
        return [.countsStored(stored), .idsReserved(reserved)] + workersByLife
    }

    /// Everything but jobs, as a checkpoint writes it.
    func baseFacts() -> [Fact] {
        var facts = headFacts
        for id in sessions.ids { facts += sessions.entries(of: id) }
        for key in feedOrder {
            facts += self.facts(ofFeed: key)
            for name in feeds[key]?.viewNames ?? [] { fact(ofView: name, of: key).map { facts.append($0) } }
        }
        return facts
    }

    /// A feed without its views; nothing: it was forgotten.
    func facts(ofFeed key: FeedKey) -> [Fact] {
        guard let feed = feeds[key] else { return [] }
        var facts: [Fact] = []
        for damaged in feed.damaged {
            var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
            earlier.failure = Failure(id: .none, damaged: damaged.object, at: damaged.foundAt, text: "", retryable: false)
            facts.append(.feedChanged(Fact.FeedChanged(earlier, isAskedFor: false)))
        }
        for content in feed.older {
            var earlier = FeedState(key: key, isEditable: feed.state.isEditable)
            earlier.content = content
            facts.append(.feedChanged(Fact.FeedChanged(earlier, isAskedFor: false)))
        }
        let version = ContentVersion(feed.nextVersion)
        facts.append(.feedChanged(Fact.FeedChanged(feed.state, isAskedFor: feed.isAskedFor, nextVersion: version)))
        return facts
    }

    /// A view of a feed; nil: it was forgotten.
    func fact(ofView name: String, of key: FeedKey) -> Fact? {
        guard let feed = feeds[key], let view = feed.views[name] else { return nil }
        return .viewChanged(Fact.ViewChanged(key, view, selectedAfter: feed.selectedAfter[name] ?? .none))
    }

    /// The lives of the front that matter, each before the workers that registered last in it.
    private var workersByLife: [Fact] {
        var facts: [Fact] = []
        func append(workersOf life: Epoch) {
            for case let worker? in workers where worker.life == life {
                facts.append(worker.attached)
            }
        }
        // Of workers whose life is not listed any more, the first listed one counts.
        let listed = Set(lives.map(\.epoch))
        for case let worker? in workers where !listed.contains(worker.life) {
            facts.append(worker.attached)
        }
        for life in lives {
            facts.append(.epochBegan(life))
            append(workersOf: life.epoch)
        }
        return facts
    }

    /// Takes jobs over that a checkpoint stored.
    mutating func restore(_ stored: Fact.StoredJobs, turn: UInt64) {
        // In use until the jobs are in.
        let terms = stored.terms.map { addTerms($0) }
        defer { for index in terms { jobTerms.change(at: index, by: -1) } }
        for (index, range) in stored.payloads.ranges.enumerated() {
            let id = stored.jobs[index]
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
                jobTerms.change(at: Int(jobs[id].terms), by: -1)
            }
            let term = Int(stored.termIndexes[index])
            jobTerms.change(at: terms[term], by: 1)
            jobs[id].terms = UInt32(terms[term])
            jobs[id].session = stored.sessions[index]
            jobs[id].rank = stored.ranks[index]
            jobs[id].acceptedAt = stored.acceptedAt[index]
            jobs[id].changedAt = stored.changedAt[index]
            jobs[id].deaths = stored.deaths[index]
            jobs[id].flags = JobRecord.Flags(rawValue: stored.flags[index])
            jobs[id].attempts = stored.attempts[index]
            jobs[id].loader = UInt32(loader)
            jobs[id].blob = arena.store(stored.payloads.bytes, range)
            jobs[id].storedTurn = turn
            place(id, state, lease: stored.leases[index], worker: WorkerID(stored.workers[index]))
            nextJob = max(nextJob, id + 1)
            nextLease = max(nextLease, stored.leases[index] + 1)
            noteRank(stored.ranks[index], of: stored.terms[term].options)
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
}

extension WorkerRecord {
    /// The entry that makes it.
    fileprivate var attached: Fact { .workerAttached(Fact.WorkerAttached(id, attachment, registration)) }
}
