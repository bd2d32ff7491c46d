//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

extension JobQueue {
    /// Puts the next ended jobs of a kind into a bundle.
    /// - Returns: how many; nil: there are none.
    mutating func bundle(_ kind: EndedKind, atMost left: Int, in turn: inout FrontTurn) -> Int? {
        let (jobs, bytes) = (turn.settings.bounds.bundleJobs, turn.settings.bounds.bundleByteCount)
        guard let next = turn.state.jobs.nextBundle(of: kind, jobLimit: min(jobs, left), byteLimit: bytes) else {
            return nil
        }
        let count = next.bundled.jobs.count
        turn.step(count * TurnContext.rowSteps)
        // Before the entry, after which the jobs are not in memory any more: their observers must not see them go.
        for id in next.bundled.jobs where views.observed.contains(id) { readings.wait(.observed(id), for: next.bundled.number) }
        turn.emit(.makeBundle(next.bundled.number, next.entries))
        turn.record(.endedBundled(next.bundled))
        return count
    }

    /// Whether one more question may wait for a bundle. Those of observed topics always may: there are no more of them than topics.
    func mayRead(in turn: FrontTurn) -> Bool {
        let bounds = turn.settings.bounds
        return readings.questionCount < bounds.endedReadings && readings.questionByteCount < bounds.endedReadingByteCount
    }

    /// Sends a snapshot, as soon as its topic's job is known.
    mutating func send(_ snapshot: FrontAction, in turn: inout FrontTurn) {
        guard case .sendSnapshot(_, _, .job(let job), _) = snapshot, !turn.state.jobs.contains(job.rawValue),
            let (bundle, _) = turn.state.jobs.bundle(of: job.rawValue), readings.job(job.rawValue, of: bundle) == nil
        else { return turn.emit(snapshot) }
        // Without it the job would be shown as gone. Who gets no snapshot asks again.
        guard mayRead(in: turn) else { return turn.context.noteBusy(.endedReadings) }
        readings.wait(.snapshot(snapshot), for: bundle)
    }

    /// Bundles that are waited for are read, some at a time.
    mutating func readBundles(in turn: inout FrontTurn) {
        while let bundle = readings.takeWanted() { turn.emit(.readBundle(bundle)) }
    }

    /// A bundle was read: the requests that waited for it are answered, in this turn or in the next ones. Nil: it could not be read.
    mutating func takeBundle(_ number: BundleNumber, _ entries: [JournalEntry]?, in turn: inout FrontTurn) {
        var jobs = entries.map { ReadJob.all(of: $0) }
        // One that lacks a job is damaged, as is one that cannot be read.
        if let known = turn.state.jobs.bundle(number), known.jobs.contains(where: { jobs?[$0] == nil }) { jobs = nil }
        turn.step((jobs?.count ?? 0) * TurnContext.rowSteps)
        if !readings.take(number, jobs) { turn.context.noteIgnored(.bundleNotAwaited) }
        answerRead(in: &turn)
    }

    /// Answers questions whose bundles were read, as many as one turn may: thousands may wait for one bundle, with a page for each.
    mutating func answerRead(in turn: inout FrontTurn) {
        while let next = readings.takeAnswerable() {
            let before = turn.context.steps
            turn.step()
            answer(next, in: &turn)
            readings.charge(Int(clamping: turn.context.steps &- before))
        }
        if readings.hasAnswerable { turn.check(.readings, by: turn.now.monotonic) }
    }

    private mutating func answer(_ next: BundleReadings.Answerable, in turn: inout FrontTurn) {
        let (number, isRead) = (next.bundle, next.isRead)
        switch next.question {
        case .request(let asked, let body): answerLate(asked, body, of: number, isRead: isRead, in: &turn)
        case .outcomes(var left, let session):
            let jobs = left.popLast()?.jobs ?? []
            turn.step(jobs.count)
            for id in jobs { noteBundled(id, of: number, isRead: isRead, to: session, in: &turn) }
            waitForOutcomes(left, session)
        case .snapshot(let action):
            turn.emit(!isRead && isLost(number, to: action, in: turn) ? action.refused(.unreadable(number)) : action)
        case .observed(let id):
            guard views.observed.contains(id) else { return }
            // Where the bundle was forgotten meanwhile, observers see that the job is no longer known.
            let isForgotten = turn.state.jobs.state(of: id) == nil
            if !isForgotten, let job = readings.job(id, of: number) { readings.observe(id, job.summary, of: number) }
            if isForgotten || isRead { noteJob(id, ItemKey.job, in: &turn) }
        case .bulk(let action): goOn(afterReading: number, isRead: isRead, action, in: &turn)
        }
    }

    /// Whether a snapshot would show its job as gone, only since this bundle cannot be read.
    private func isLost(_ bundle: BundleNumber, to snapshot: FrontAction, in turn: FrontTurn) -> Bool {
        guard case .sendSnapshot(_, _, .job(let job), _) = snapshot else { return false }
        return turn.state.jobs.bundle(bundle) != nil && readings.observedJob(job.rawValue) == nil
    }

    /// Answers a request that had to wait for a bundle, now that it is there or cannot be read.
    private mutating func answerLate(
        _ asked: NumberedRequest, _ body: JobRequest, of bundle: BundleNumber, isRead: Bool, in turn: inout FrontTurn
    ) {
        let reply: Reply?
        if let refused = turn.state.sessions.refusalOfReading(asked, in: &turn.context) {
            // Others of the session were answered meanwhile.
            reply = refused
        } else if isRead || turn.state.jobs.bundle(bundle) == nil {
            reply = answer(to: body, asked, mayWait: false, in: &turn).reply
        } else if case .list(let query) = body {
            // A list goes on below them with what is known without a reading, or all older jobs would be out of reach.
            reply = list(query, for: asked.session, mayWait: false, unreadable: bundle, in: &turn).reply
        } else if case .bulk(let bulk) = body {
            reply = self.answer(to: bulk, by: asked.session, mayWait: false, unreadable: bundle, in: &turn).reply
        } else {
            reply = .refused(.unreadable(bundle), retryAfter: .zero)
        }
        guard let reply else { return }
        // A page of arguments and results costs what is copied for it: many questions wait for one bundle.
        turn.step(reply.roughByteCount / TurnContext.copiedPerStep)
        turn.conclude(asked.now(at: turn.state.sessions[asked.session]?.peer ?? .none), with: reply)
    }

    /// Requests that wait for bundles to be read, of the session of which most do.
    var waitingReadings: Int { readings.mostRequestsOfSession }

    /// Outcomes wait for the last of their bundles, if there is one.
    mutating func waitForOutcomes(_ left: [(bundle: BundleNumber, jobs: [UInt64])], _ session: SessionID) {
        guard let next = left.last else { return }
        readings.wait(.outcomes(left, session), for: next.bundle)
    }

    /// A session asks how a job of a bundle ended.
    /// - Parameter isRead: False: its result can never be read; the session gets the job as unknown.
    mutating func noteBundled(_ id: UInt64, of bundle: BundleNumber, isRead: Bool, to session: SessionID, in turn: inout FrontTurn) {
        guard isRead, let job = readings.job(id, of: bundle)?.summary else {
            return pendingAnswers.addUnknown(id, to: session.rawValue, of: turn.state.sessions)
        }
        // Without room it is left out: its session asks again.
        guard pendingAnswers.takeRoom(for: job.result.count, limit: turn.settings.bounds.answerByteCount) else { return }
        pendingAnswers.add(id, job.state, job.result[...], to: session.rawValue, of: turn.state.sessions)
    }
}

extension FrontAction {
    /// A snapshot that cannot be; any other action as it is.
    fileprivate func refused(_ failure: Failure) -> FrontAction {
        guard case .sendSnapshot(let peer, let session, let topic, let asked) = self else { return self }
        return .send(peer, session, .snapshotRefused(asked: asked ?? topic.description, failure, retryAfter: .zero))
    }
}

extension Failure {
    /// An ended job is asked for whose bundle cannot be read.
    fileprivate static func unreadable(_ bundle: BundleNumber) -> Failure {
        Failure(code: .storageFailed, text: "ended jobs cannot be read (bundle \(bundle)): look at the disk with gantry doctor")
    }
}

/// Ended jobs that go into bundles before the next checkpoint, the failed ones first: each kind has bundles of its own.
struct EndedToBundle {
    private var counts = ByEndedKind(repeating: 0)

    /// None.
    init() {}

    /// All that there are in memory when a checkpoint comes near.
    init(_ ended: EndedJobs) { for kind in EndedKind.allCases { counts[kind] = ended.line(of: kind).count } }

    var isEmpty: Bool { next == nil }

    /// The kind of the next bundle, and how many of that kind are left at most; nil: none goes into one.
    var next: (kind: EndedKind, left: Int)? {
        for kind in EndedKind.failedFirst where counts[kind] > 0 { return (kind, counts[kind]) }
        return nil
    }

    /// So many of a kind are in a bundle.
    mutating func take(_ count: Int, of kind: EndedKind) { counts[kind] -= count }

    /// None of a kind is left: others were forgotten meanwhile.
    mutating func finish(_ kind: EndedKind) { counts[kind] = 0 }
}
