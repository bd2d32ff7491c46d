//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryPackedColumns

/// What the front says to a worker.
package enum WorkerBoundMessage: Hashable, Sendable {
    /// The worker is registered.
    case registered(Registered)
    /// The front does not know this registration: register again.
    case reregister
    /// The front has read that renewal; cancels are repeated until the worker says `stopping`.
    case renewed(RenewalNumber, cancels: [UInt64])
    /// Jobs to run.
    case grant(Grant)
    /// Leases whose work is to be stopped.
    case cancel(leases: [UInt64])
    /// Reports that are durable: the worker may forget them.
    case acknowledged(reports: [UInt64])
    /// Take no new jobs and end with the last one: somebody asked the front for that.
    case drain
    /// The worker cannot be registered.
    case refused(Refused)
    /// A kind that this version does not know: it is passed over, the rest of its frame is taken.
    case unknown
    /// A message that breaks a rule of the protocol. `leases`: those of the granted jobs in it that cannot be read; the others come in a
    /// grant of their own.
    case unreadable(CodecError, leases: [UInt64])

    /// The worker is registered.
    package struct Registered: Hashable, Sendable {
        /// The number of this registration.
        package var registrationNumber: RegistrationNumber
        /// How long a lease lasts from the sending of a renewal.
        package var lease: Duration
        /// How often the worker sends a renewal.
        package var renewal: Duration
        /// What becomes of each lease that the worker held.
        package var decisions: [LeaseDecision]

        /// A registration.
        package init(registrationNumber: RegistrationNumber, lease: Duration, renewal: Duration, decisions: [LeaseDecision]) {
            self.registrationNumber = registrationNumber
            self.lease = lease
            self.renewal = renewal
            self.decisions = decisions
        }
    }

    /// What becomes of a lease that a worker held when it registered again.
    package struct LeaseDecision: Hashable, Sendable {
        /// The lease as the worker knew it.
        package var lease: LeaseID
        /// What to do.
        package var decision: Decision
        /// The lease from now on; none for `drop`.
        package var renewed: LeaseID

        package init(lease: LeaseID, decision: Decision, renewed: LeaseID) {
            self.lease = lease
            self.decision = decision
            self.renewed = renewed
        }

        /// What to do with the work.
        package enum Decision: UInt8, Hashable, Sendable {
            /// Go on, and report under the new lease.
            case keep = 0
            /// Stop, and report under the new lease.
            case cancel = 1
            /// Stop and forget: somebody else has the job, or nobody.
            case drop = 2
        }
    }

    /// Granted jobs as columns.
    package struct Grant: Hashable, Sendable {
        /// The registration that it is for; a worker drops a grant of an older one.
        package var registrationNumber: RegistrationNumber
        /// The worker's latest renewal that the front had read: the leases count from its sending. 0: from the sending of `register`.
        package var renewal: RenewalNumber
        /// The front's wall clock.
        package var wall: WallTime
        /// Names of the loaders, each once.
        package var loaders: [String]
        /// Job ids.
        package var jobs: [UInt64]
        /// The lease of each.
        package var leases: [UInt64]
        /// Index in `loaders` of each.
        package var loaderIndexes: [UInt32]
        /// Which attempt of each this is, from 1. A grant that was given back, or ended in a snooze, has used none up.
        package var attempts: [UInt32]
        /// The argument of each.
        package var arguments: PackedBytes
        /// The work of each feed job, by its index in the columns.
        package var feedWork: [Indexed<FeedWork>]
        /// How long each attempt may run, in milliseconds, 0: as long as it does; none: as long as they do.
        package var attemptTimeouts: [UInt64] = []
        /// In how many milliseconds each job must have ended for good, 0: it need not; none: none need.
        package var deadlines: [UInt64] = []
        /// What the loader of a job saved in an earlier attempt, by its index in the columns.
        package var resumeStates: [Indexed<[UInt8]>] = []
        /// The limits that jobs count in, each set of them once.
        package var limitSets: [[GrantedLimit]] = []
        /// The place in `limitSets` of each, from 1; 0: it counts in none; none: no job counts in any.
        package var limitIndexes: [UInt32] = []
        /// When they took their tokens, by the front's clock of lengths; 0: not known, because they are sent once more.
        package var takenAt: Int64 = 0

        /// A grant without a job.
        package init(registrationNumber: RegistrationNumber, renewal: RenewalNumber, wall: WallTime) {
            self.registrationNumber = registrationNumber
            self.renewal = renewal
            self.wall = wall
            (loaders, jobs, leases, loaderIndexes, attempts, arguments, feedWork) = ([], [], [], [], [], PackedBytes(), [])
        }
    }
}

/// Everything that the front sends to one worker in one frame.
package struct WorkerBoundEnvelope: Hashable, Sendable {
    /// The front that sends.
    package var front: FrontID
    /// Its epoch.
    package var epoch: Epoch
    /// In order.
    package var messages: [WorkerBoundMessage]
    /// How far the front has come with this worker: grants with leases below it have been sent, in this envelope or before it. None: nothing
    /// is said, because more of the same turn follows.
    package var sentBelow: LeaseID

    /// Joins messages to one worker.
    package init(front: FrontID, epoch: Epoch, messages: [WorkerBoundMessage], sentBelow: LeaseID = .none) {
        self.front = front
        self.epoch = epoch
        self.messages = messages
        self.sentBelow = sentBelow
    }
}

extension WorkerBoundMessage.Grant {
    /// What is written down of a row before it runs; nil: it counts in no limit.
    package func limitedRun(at row: Int, by front: FrontID) -> LimitedRun? {
        guard !limitIndexes.isEmpty, limitIndexes[row] > 0 else { return nil }
        return LimitedRun(lease: LeaseID(leases[row]), front: front, limits: limitSets[Int(limitIndexes[row]) - 1], takenAt: takenAt)
    }
}
