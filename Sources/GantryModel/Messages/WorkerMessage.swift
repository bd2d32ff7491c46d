//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryPackedColumns

/// What a worker says to the front.
package enum WorkerMessage: Hashable, Sendable {
    /// Registers the worker, or registers it again; repeated until `registered` comes.
    case register(Registration)
    /// The worker runs and holds these leases; as often as `Registered.renewal` says. `readBelow`: the `sentBelow` of the last
    /// envelope that it has read; none: it has read none that says it.
    case renewal(RenewalNumber, leases: [UInt64], readBelow: LeaseID = .none)
    /// How far jobs are; at most 20 a second for each job.
    case progress([ProgressReport])
    /// Jobs have ended; kept and repeated by the worker until the front says `acknowledged`.
    case ended(Ended)
    /// A cancel has come a step further.
    case cancelStep(LeaseID, CancelStep)
    /// Jobs whose lease is over here but whose work has not ended: all of them, none once the last has. The kernel ends the worker because
    /// of them if they do not end soon, so it takes no new jobs. Repeated with each renewal while there is one.
    case overdue(jobs: [UInt64])
    /// The worker takes no new jobs and ends when its last job has.
    case draining
    /// The worker ends now and holds nothing. `takenBelow`: it has taken no grant with this lease or a greater one; none: that is not known.
    case close(takenBelow: LeaseID = .none)
    /// Grants that the worker cannot take.
    case refusedGrants(RefusedGrants)
    /// Lines that jobs have written; at most once a second for each job.
    case log([LogReport])
    /// A kind that this version does not know: it is passed over, the rest of its frame is taken.
    case unknown
    /// A message that breaks a rule of the protocol: answered by `refused`, the rest of its frame is taken.
    case unreadable(CodecError)

    /// What a worker is and holds.
    package struct Registration: Hashable, Sendable {
        /// Lowest protocol version that the worker supports.
        package var minimumVersion: UInt32
        /// Highest protocol version that the worker supports.
        package var maximumVersion: UInt32
        /// Its label.
        package var name: String
        /// Its process id on its machine.
        package var processID: UInt32
        /// How many jobs it runs at once, 1 to 64.
        package var slots: UInt32
        /// How many bulk jobs it takes ahead, 0 to 4,096.
        package var prefetch: UInt32
        /// What it can run.
        package var loaders: [LoaderDeclaration]
        /// The leases that it still holds, of this or an earlier registration.
        package var held: [HeldLease]
        /// 32 random bytes that the worker chose with its id: a registration under a known id is taken only with the same ones.
        package var secret: [UInt8]
        /// What the front asks for where it listens to TCP: the content of `DATA/run/token`, at most 64 bytes.
        package var token: [UInt8]
        /// The boot of its machine and the PID namespace that `processID` counts in; empty: unknown.
        package var processNamespace: String
        /// When its process began, in the kernel's ticks since the boot.
        package var processStart: UInt64

        /// The process, as far as it is known: once it has ended, nothing of the worker's work runs any more.
        package var process: ProcessIdentity? {
            get {
                guard !processNamespace.isEmpty, processID != 0 else { return nil }
                return ProcessIdentity(namespace: processNamespace, number: processID, start: processStart)
            }
            set {
                processNamespace = newValue?.namespace ?? ""
                processStart = newValue?.start ?? 0
                if let newValue { processID = newValue.number }
            }
        }

        /// A registration that holds nothing.
        package init(name: String, processID: UInt32, slots: UInt32, prefetch: UInt32, loaders: [LoaderDeclaration]) {
            self.minimumVersion = ProtocolVersion.current
            self.maximumVersion = ProtocolVersion.current
            self.name = name
            self.processID = processID
            self.slots = slots
            self.prefetch = prefetch
            self.loaders = loaders
            self.held = []
            self.secret = []
            self.token = []
            self.processNamespace = ""
            self.processStart = 0
        }
    }

    /// A lease that a worker holds while it registers again.
    package struct HeldLease: Hashable, Sendable {
        /// The job.
        package var job: JobID
        /// The lease as the worker knows it.
        package var lease: LeaseID

        /// Joins job and lease.
        package init(job: JobID, lease: LeaseID) {
            self.job = job
            self.lease = lease
        }
    }

    /// How far one job is.
    package struct ProgressReport: Hashable, Sendable {
        /// The job.
        package var job: JobID
        /// The authority to report on it.
        package var lease: LeaseID
        /// How far it is.
        package var progress: JobProgress

        package init(job: JobID, lease: LeaseID, progress: JobProgress) {
            self.job = job
            self.lease = lease
            self.progress = progress
        }
    }

    /// Lines that one job has written.
    package struct LogReport: Hashable, Sendable {
        /// The job.
        package var job: JobID
        /// The authority to report on it.
        package var lease: LeaseID
        /// The lines that were not sent before.
        package var log: JobLog

        package init(job: JobID, lease: LeaseID, log: JobLog) { (self.job, self.lease, self.log) = (job, lease, log) }
    }

    /// Ended jobs as columns.
    package struct Ended: Hashable, Sendable {
        /// Number of this report, unique for this worker process; `acknowledged` names it.
        package var report: UInt64
        /// Job ids.
        package var jobs: [UInt64]
        /// The lease of each.
        package var leases: [UInt64]
        /// How each has ended.
        package var outcomes: [Outcome]
        /// The result of each, at most 65,536 bytes; empty where there is none.
        package var results: PackedBytes
        /// The failure of each job whose outcome is failed, by its index in the columns.
        package var failures: [Indexed<Failure>]
        /// The result of each feed job, by its index in the columns.
        package var feedResults: [Indexed<FeedResult>]
        /// Of each job whose outcome is snoozed, in their order: after how many milliseconds it is to be run again.
        package var snoozes: [UInt64] = []
        /// Lines that jobs have written and that were not sent before, by their indexes in the columns.
        package var logs: [Indexed<JobLog>] = []

        /// A report without a job.
        package init(report: UInt64) {
            self.report = report
            (jobs, leases, outcomes, results, failures, feedResults) = ([], [], [], PackedBytes(), [], [])
        }
    }

    /// Grants that the worker cannot take: their jobs are failed or run elsewhere, their slots are free at once.
    package struct RefusedGrants: Hashable, Sendable {
        /// The leases; none: a frame with grants could not be read, and which leases it had is not known.
        package var leases: [UInt64]
        /// Why, as a machine reads it.
        package var code: FailureCode
        /// One sentence.
        package var reason: String

        package init(leases: [UInt64], code: FailureCode, reason: String) {
            self.leases = leases
            self.code = code
            self.reason = reason
        }
    }

    /// Steps of a cancel at the worker.
    package enum CancelStep: UInt8, Hashable, Sendable {
        /// The worker has the cancel in hand.
        case delivered = 0
        /// The loader's task was asked to stop.
        case stopping = 1
        /// The worker has asked it to by itself: the time of the attempt or of the job is over.
        case timedOut = 2
        /// The work had not ended in its loader's time: the process that it runs in was killed.
        case killed = 3
        /// The work has not ended: the worker takes no jobs any more, and ends because of it.
        case ending = 4
    }
}

/// Everything that a worker sends to the front in one frame.
package struct WorkerEnvelope: Hashable, Sendable {
    /// The worker process.
    package var worker: WorkerID
    /// The epoch in which it is registered; none before `registered`.
    package var epoch: Epoch
    /// Its registration; none before `registered`.
    package var registrationNumber: RegistrationNumber
    /// In order.
    package var messages: [WorkerMessage]

    /// Joins messages of one worker.
    package init(worker: WorkerID, epoch: Epoch = .none, registrationNumber: RegistrationNumber = .none, messages: [WorkerMessage]) {
        self.worker = worker
        self.epoch = epoch
        self.registrationNumber = registrationNumber
        self.messages = messages
    }
}

/// What a worker says of a loader that it offers.
package struct LoaderDeclaration: Hashable, Sendable {
    /// The loader's name, by the rule of feed names.
    package var name: String
    /// Whether its jobs take far less than a millisecond: they are then taken ahead, beside the slots, and not listed one by one.
    package var isBulk: Bool
    /// Whether its jobs may run a second time.
    package var repeatable: Repeatable

    /// Declares a loader.
    package init(name: String, isBulk: Bool = false, repeatable: Repeatable = .yes) {
        self.name = name
        self.isBulk = isBulk
        self.repeatable = repeatable
    }
}

/// One process of one machine, for good: its number comes again for others, but never with the same beginning within one boot.
package struct ProcessIdentity: Hashable, Sendable {
    /// The machine's boot and the PID namespace that the number counts in.
    package var namespace: String
    /// Its number there, above 0.
    package var number: UInt32
    /// When it began, in the kernel's ticks since the boot.
    package var start: UInt64

    package init(namespace: String, number: UInt32, start: UInt64) {
        self.namespace = namespace
        self.number = number
        self.start = start
    }
}
