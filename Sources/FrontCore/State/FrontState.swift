//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// Everything that is durable: five machines with private state, which nothing but an entry changes, while serving and at restart alike. Whatever
/// changes it takes an `EntryTurn`, and only `FrontTurn.record` and `restore` make those.
///
/// Some steps take none, since they follow from what an epoch knows: ended jobs are forgotten by age and number, with what says that they were
/// repeated, and retained replies once the client says that it has them; what workers hold is put into the order of the grants when an epoch begins;
/// ids of jobs and leases are handed out, which the entries name that need them. A replay that still holds what was forgotten forgets it when the
/// next epoch looks.
///
/// The machines also keep what this epoch alone knows, beside it: connections, leases' ends, uses, which grants their workers have read. None of
/// that is in a checkpoint, and no entry changes it.
package struct FrontState: EntryMachine {
    var jobs = JobLifecycle()
    var sessions: ClientSessions
    var workers = WorkerSessions()
    var feeds = FeedTable()
    /// What is left to do of decisions about many.
    var left = LeftWork()

    init(requestWindow: UInt64 = Bounds().requestWindow) { sessions = ClientSessions(requestWindow: requestWindow) }

    /// Bytes beside the records of jobs and views: what admission and the ended jobs are bounded by.
    var bytes: StoredBytes {
        StoredBytes(
            queued: jobs.queuedByteCount, ended: jobs.ended.byteCount(of: .other), failed: jobs.ended.byteCount(of: .failed),
            details: feeds.detailByteCount)
    }

    /// Ends a change, so that the next question for a job sees the present workers and lines.
    mutating func noteRooms() {
        while let index = workers.takeChanged() {
            guard let worker = workers[index] else { continue }
            jobs.noteReadiness(of: index, worker.readiness)
        }
        jobs.flush()
    }
}

extension FrontState {
    /// Every object that the shared state or a pending job names: collection must spare them.
    func namedObjects(at now: WallTime) -> Set<ObjectDigest> {
        var named = feeds.objectNames.objects
        for feed in feeds.all {
            for damaged in feed.sparedVersions(at: now) { named.insert(damaged.object) }
        }
        named.formUnion(jobs.keyLines.objectNames)
        return named
    }

    /// When the oldest running grant was made for the first time; nil: nothing runs. A worker that reregisters goes on with old work.
    var oldestGrant: WallTime? {
        // Held jobs stand in the order of their grants.
        workers.indices.compactMap { index in
            let held = jobs.held(by: index)
            return held.isEmpty ? nil : jobs[held.first].changedAt
        }
        .min()
    }
}

/// What jobs and views take in bytes beside their records, each kind with a bound of its own: counts alone bound nothing where one job may
/// carry 64 KiB, and a journal that is larger than the memory could never be read again.
struct StoredBytes: Equatable {
    /// What jobs that have not ended carry: arguments, and all that was asked of feeds.
    var queued = 0
    /// Arguments and results of jobs that succeeded or were cancelled.
    var ended = 0
    /// Failures, and arguments and items of jobs that failed: they can be repeated.
    var failed = 0
    /// Details in views.
    var details = 0
}
