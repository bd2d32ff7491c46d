//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension JobQueue {
    /// A checkpoint is near: before it is written, jobs that have ended leave the state, a bundle in each turn until those have that there were at
    /// first. So each of them is written once, and neither is it in every checkpoint, nor read by every restart.
    /// - Parameter isNew: Whether nothing was said of this checkpoint yet.
    mutating func prepareCheckpoint(isNew: Bool, in turn: inout FrontTurn) {
        // Without a journal of jobs, memory is where ended ones are.
        guard turn.settings.durability != .memory else { return }
        if isNew { toBundle = (turn.state.jobs.ended.failed.count, turn.state.jobs.ended.others.count) }
        let areFailed = toBundle.failed > 0
        let left = areFailed ? toBundle.failed : toBundle.others
        let (jobs, bytes) = (turn.settings.bounds.bundleJobs, turn.settings.bounds.bundleByteCount)
        guard left > 0, let next = turn.state.jobs.nextBundle(areFailed: areFailed, jobLimit: min(jobs, left), byteLimit: bytes) else {
            toBundle = (0, areFailed ? toBundle.others : 0)
            return
        }
        let count = next.bundled.jobs.count
        if areFailed { toBundle.failed -= count } else { toBundle.others -= count }
        turn.step(count * TurnContext.rowSteps)
        for id in next.bundled.jobs where views.observed.contains(id) { readings.wait(.observed(id), for: next.bundled.number) }
        turn.emit(.makeBundle(next.bundled.number, next.facts))
        turn.record(.endedBundled(next.bundled))
    }

    /// Whether all jobs that had ended when a checkpoint came near are in bundles.
    var isReadyForCheckpoint: Bool { toBundle == (0, 0) }

    /// Whether one more question may wait for a bundle. Those of observed topics always may: there are no more of them than topics.
    func mayRead(in turn: FrontTurn) -> Bool { readings.questionCount < turn.settings.bounds.endedReadings }

    /// Sends a snapshot, as soon as its topic's job is known.
    mutating func send(_ snapshot: FrontAction, in turn: inout FrontTurn) {
        guard case .sendSnapshot(_, _, .job(let job), _) = snapshot, !turn.state.jobs.contains(job.rawValue),
            let (bundle, _) = turn.state.jobs.ended.bundled.find(job.rawValue), readings.job(job.rawValue, of: bundle) == nil,
            mayRead(in: turn)
        else { return turn.emit(snapshot) }
        readings.wait(.snapshot(snapshot), for: bundle)
    }

    /// Bundles that are waited for are read, some at a time.
    mutating func readBundles(in turn: inout FrontTurn) {
        while let bundle = readings.takeWanted() { turn.emit(.readBundle(bundle)) }
    }

    /// A bundle was read: whoever waited for it is answered. Nil: it could not be read.
    mutating func takeBundle(_ number: BundleNumber, _ facts: [Fact]?, in turn: inout FrontTurn) {
        var jobs = facts.map { RecalledJob.all(of: $0) }
        // One that lacks a job is damaged, as is one that cannot be read.
        if let known = turn.state.jobs.ended.bundled.bundle(number), known.jobs.contains(where: { jobs?[$0] == nil }) { jobs = nil }
        turn.step((jobs?.count ?? 0) * TurnContext.rowSteps)
        for question in readings.take(number, jobs) {
            turn.step()
            switch question {
            case .request(let asked, let body): answerLate(asked, body, of: number, isRead: jobs != nil, in: &turn)
            case .outcomes(let ids, let session):
                for id in ids { oweRecalled(id, of: number, to: session, in: &turn) }
            case .snapshot(let action): turn.emit(action)
            case .observed(let id):
                guard views.observed.contains(id), let job = jobs?[id], turn.state.jobs.state(of: id) != nil else { continue }
                readings.observe(id, job, of: number)
                noteJob(id, "job", in: &turn)
            }
        }
    }

    /// Answers a request that had to wait for a bundle, now that it is there or cannot be read.
    private mutating func answerLate(
        _ asked: NumberedRequest, _ body: RequestBody, of bundle: BundleNumber, isRead: Bool, in turn: inout FrontTurn
    ) {
        let reply: Reply?
        if let refused = turn.state.sessions.refusalOfReading(body, asked.session, from: asked.peer, in: &turn.context) {
            // Others of the session were answered meanwhile.
            reply = refused
        } else if isRead || turn.state.jobs.ended.bundled.bundle(bundle) == nil {
            reply = answer(to: body, asked, mayWait: false, in: &turn)?.reply
        } else {
            reply = .refusal(.storageFailed, "ended jobs cannot be read (bundle \(bundle)): look at the disk with gantry doctor")
        }
        if let reply { conclude(asked, with: reply, in: &turn) }
    }

    /// A session wants to know how a job of a bundle ended that was read.
    private mutating func oweRecalled(_ id: UInt64, of bundle: BundleNumber, to session: SessionID, in turn: inout FrontTurn) {
        guard let job = readings.job(id, of: bundle)?.summary else { return }
        guard owed.takeRoom(for: job.result.count, limit: turn.settings.bounds.answerByteCount) else { return }
        owed.add(id, job.state, job.result[...], to: session.rawValue, of: turn.state.sessions)
    }
}
