//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Synchronization

/// Why a job's task is cancelled. Whatever it is, the loader is to return soon.
public enum CancelReason: String, Hashable, Sendable, CaseIterable {
    /// Somebody cancelled the job: nobody wants its result any more, and it does not run again. The worker is not told who.
    case requested
    /// The worker has lost its front, or the front has given the job to somebody else: the lease ends in two seconds or is over, and the kernel ends the
    /// process shortly after it. A job that is repeatable runs again.
    case leaseLost
    /// The worker ends: it drains and its grace is over (``WorkerConfiguration/grace``), the task of ``Worker/run()`` was cancelled, or the worker
    /// failed. A job that is repeatable runs again, and no attempt counts; of any other the outcome is unknown.
    case workerStops
    /// The attempt has run for as long as its job allows (`JobOptions.attemptTimeout`), or the job has had its total time (`JobOptions.totalTimeout`). It has
    /// failed, unless the loader has a result all the same; after an attempt's time the job may be tried again.
    case timedOut
}

/// Where a job reads why it is cancelled.
package final class Cancellation: Sendable {
    private let noted = Mutex<CancelReason?>(nil)
    private let ownProcess = Mutex<OwnProcess?>(nil)

    /// One that has not happened.
    package init() {}

    /// Why it happened; nil: it has not.
    package var reason: CancelReason? { noted.withLock { $0 } }

    /// Notes why the job's task is about to be cancelled; the first reason stays.
    package func note(_ reason: CancelReason) {
        noted.withLock { $0 = $0 ?? reason }
    }

    /// The process that the work runs in; nil: it runs in the worker's.
    package var process: OwnProcess? {
        get { ownProcess.withLock { $0 } }
        set { ownProcess.withLock { $0 = newValue } }
    }
}

/// A process that a job has for itself.
package struct OwnProcess: Hashable, Sendable {
    /// Its number.
    package let id: Int32
    /// Whether it leads a group, which is killed with it.
    package let leadsGroup: Bool

    package init(_ id: Int32, leadsGroup: Bool) { (self.id, self.leadsGroup) = (id, leadsGroup) }
}
