//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Everything that is durable: four machines with private state, which nothing but an entry changes, while serving and at restart alike. Whatever
/// changes it takes an `EntryTurn`, and only `FrontTurn.record` and `restore` make those.
///
/// Two steps take none, since they follow from what a life knows: ended jobs are forgotten by age and number, and retained replies once the
/// client says that it has them. A replay that still holds such a thing forgets it when the next life looks.
///
/// The machines also keep what this life alone knows, beside it: connections, leases' ends, uses. None of that is in a checkpoint.
package struct FrontState {
    var jobs = JobLifecycle()
    var sessions: ClientSessions
    var workers = WorkerSessions()
    var feeds = FeedTable()
    /// What is left to do of decisions about many.
    var left = LeftWork()

    init(requestWindow: UInt64 = Bounds().requestWindow) { sessions = ClientSessions(requestWindow: requestWindow) }

    /// Bytes beside the records of jobs and views: what admission and the history are bounded by.
    var bytes: StoredBytes {
        StoredBytes(
            queued: jobs.queuedByteCount, ended: jobs.ended.byteCount(of: .other), failed: jobs.ended.byteCount(of: .failed),
            details: feeds.detailByteCount)
    }

    /// Ends a change: whoever asks for the next job sees what has become of workers and lines.
    mutating func noteRooms() {
        while let index = workers.takeChanged() {
            guard let worker = workers[index] else { continue }
            jobs.noteReadiness(of: index, isOffering: worker.isOffering, isTaking: worker.isTaking)
        }
        jobs.flush()
    }
}
