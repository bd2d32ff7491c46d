//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension JournalEntry {
    /// Work that one event brought about for many, and no turn does alone: where the next turn, or the next life, goes on.
    public struct WorkLeft: Hashable, Sendable {
        /// What is done.
        public var work: Work
        /// When that was decided.
        public var since: WallTime
        /// What comes next; nil: nothing is left.
        public var cursor: Cursor?

        /// Work that goes on there; nil: it is done.
        public init(_ work: Work, since time: WallTime, at cursor: Cursor?) {
            (self.work, since, self.cursor) = (work, time, cursor)
        }

        /// What is done for many.
        public enum Work: Hashable, Sendable {
            /// Feeds let go of an object that was found damaged. A content that was stored later is another file of that name.
            case damage(ObjectDigest)
            /// The jobs of a worker that is gone wait again, or end.
            case loss(LostWorker)
            /// The jobs of a feed that was reset are cancelled, in the name of that client.
            case reset(FeedKey, by: String)
        }

        /// What comes next.
        public enum Cursor: Hashable, Sendable {
            /// That feed, then those behind it by key.
            case feed(FeedKey)
            /// That job, then those that stand before it.
            case job(JobID)
        }
    }

    /// A worker that is gone, and what that says of the jobs that it held.
    public struct LostWorker: Hashable, Sendable {
        /// The worker.
        public var worker: WorkerID
        /// Why its jobs wait again.
        public var cause: AttemptEndCause
        /// Whether each of them may have crashed it.
        public var isSuspected: Bool
        /// Whether its death counts against them.
        public var isCounted: Bool

        /// A worker that is gone for that reason; unless said otherwise its jobs are not to blame.
        public init(_ worker: WorkerID, _ cause: AttemptEndCause, isSuspected: Bool = false, isCounted: Bool = false) {
            (self.worker, self.cause, self.isSuspected, self.isCounted) = (worker, cause, isSuspected, isCounted)
        }
    }
}
