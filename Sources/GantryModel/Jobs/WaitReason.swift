//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Why a job is not running yet. Every wait has one.
public enum WaitReason: Hashable, Sendable {
    /// No registered worker offers the loader of that name.
    case noWorker(loader: String)
    /// No worker that offers the loader has a slot for it.
    case slotsTaken
    /// Workers offer the loader, and none of them takes a job at the moment: each is silent, has to end what it dropped, or has just given work back.
    /// Who asks for a job gets that; in its topic it is `slotsTaken`.
    case workersNotReady
    /// Slots are free at a worker that offers the loader, and reserved for that suspected job: it runs alone there for a while, or once nothing else does.
    /// Who asks for a job gets that; in its topic it is `slotsTaken`.
    case slotsReserved(for: JobID)
    /// Another job of the same key has not ended.
    case keyTaken(by: JobID)
    /// The cancelled job of the same key has not ended yet.
    case cancelledRunStopping(JobID)
    /// Its worker died while other jobs ran in it: the next attempt runs alone on a worker.
    case suspected
    /// The front restarted; workers that may still hold it have not come back yet.
    case restarting(until: WallTime)
    /// It is scheduled: its time has not come.
    case delayed(until: WallTime)
    /// Its last attempt failed, and the next one does not begin before that.
    case backedOff(until: WallTime)
    /// Its loader asked to be run again then.
    case snoozed(until: WallTime)
    /// A limit that it counts in has no room: no permit, or no token.
    case limitFull(LimitKey, LimitShortage)
    /// It takes more permits than a limit has, which was lowered after the job was accepted.
    case limitTooSmall(LimitKey, capacity: UInt32)
    /// Its loader is paused, or all are, or of the workers that offer it each that would take it: then it is the pause of one of those.
    case paused(Pause)
    /// The disk is full; nothing new starts until it has room.
    case storageFull

    /// The reasons without what they name: the words that JSON shows as `reason`.
    package enum Word: String, Sendable, CaseIterable {
        case noWorker, slotsTaken, workersNotReady, slotsReserved, keyTaken, cancelledRunStopping, suspected, restarting, delayed,
            backedOff, snoozed,
            limitFull,
            limitTooSmall, paused, storageFull
    }

    /// The reason's word.
    package var word: Word {
        switch self {
        case .noWorker: .noWorker
        case .slotsTaken: .slotsTaken
        case .workersNotReady: .workersNotReady
        case .slotsReserved: .slotsReserved
        case .keyTaken: .keyTaken
        case .cancelledRunStopping: .cancelledRunStopping
        case .suspected: .suspected
        case .restarting: .restarting
        case .delayed: .delayed
        case .backedOff: .backedOff
        case .snoozed: .snoozed
        case .limitFull: .limitFull
        case .limitTooSmall: .limitTooSmall
        case .paused: .paused
        case .storageFull: .storageFull
        }
    }
}

extension WaitReason {
    /// One phrase for people.
    public var line: String {
        switch self {
        case .noWorker(let loader): "no registered worker offers the loader \(loader)"
        case .slotsTaken: "no slot is free for it"
        case .workersNotReady: "no worker that offers its loader takes a job at the moment (gantry worker list)"
        case .slotsReserved(let job): "free slots are reserved for job \(job), whose worker died and which runs alone for a while"
        case .keyTaken(let job): "job \(job) of the same key has not ended"
        case .cancelledRunStopping(let job): "the cancelled job \(job) of the same key is still stopping"
        case .suspected: "its worker died; the next attempt runs alone on a worker"
        case .restarting(let until): "the front restarted: workers may come back until \(until.rfc3339)"
        case .delayed(let until): "its time comes at \(until.rfc3339)"
        case .backedOff(let until): "its last attempt failed: it is tried again at \(until.rfc3339)"
        case .snoozed(let until): "its loader asked to be run again at \(until.rfc3339)"
        case .limitFull(let key, .permits(let inUse, let capacity)):
            "the limit \(key.unweighted.text) has no room\(key.need): \(inUse) of \(capacity) are taken"
        case .limitFull(let key, .tokens(let next)):
            "the limit \(key.unweighted.text) has no token: the next one comes at \(next.rfc3339)"
        case .limitFull(let key, .reserved(let job)):
            "the limit \(key.unweighted.text) keeps what is free for job \(job), which is before it"
        case .limitTooSmall(let key, let capacity):
            "it takes \(key.weight) permits of the limit \(key.unweighted.text), which has \(capacity): raise the limit, or cancel the job"
        case .paused(let pause) where !pause.target.worker.isEmpty: "no worker that offers its loader takes jobs; \(pause.line)"
        case .paused(let pause): pause.line
        case .storageFull: "too little is free on the disk of the front"
        }
    }
}

extension LimitKey {
    /// How much room it needs, for people, where that is more than one permit.
    fileprivate var need: String { weight == 1 ? "" : " for \(weight)" }
}
