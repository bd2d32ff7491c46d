//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
package import GantryModel

/// The worker's turn: wait, read everything, decide, send. The only place that calls `WorkerMachine.handle`.
///
/// Production gives it a socket, threads and the kernel's timer; the simulation a network and a clock of its own, which may end it
/// between any two calls.
package struct WorkerLoop<Transport: WorkerTransport, Runner: WorkerRunner, Clock: WorkerClock, Codec: EnvelopeCodec> {
    /// How a turn left the loop.
    package enum Progress: Hashable, Sendable {
        /// There is more to come.
        case goesOn
        /// The worker has sent close.
        case finished
        /// The front does not take this worker; the reason names the next step.
        case refused(reason: String)
    }

    /// The connection.
    package var transport: Transport
    /// What runs the jobs.
    package var runner: Runner
    /// The clock.
    package var clock: Clock
    /// The rules.
    package private(set) var machine: WorkerMachine
    /// What was counted.
    package private(set) var counters = WorkerCounters()

    private let codec: Codec
    private let bounds: WorkerLoopBounds
    private var actions: [WorkerAction] = []
    private var performedCount = 0
    private var reports: [WorkReport] = []
    private var outgoing: [WorkerMessage] = []
    private var outbox: Deque<[UInt8]> = []
    private var outboxByteCount = 0
    private var progress = Progress.goesOn

    /// A loop of a worker that starts.
    package init(
        settings: WorkerSettings, transport: Transport, runner: Runner, clock: Clock, codec: Codec, bounds: WorkerLoopBounds = .init()
    ) {
        machine = WorkerMachine(settings)
        (self.transport, self.runner, self.clock, self.codec, self.bounds) = (transport, runner, clock, codec, bounds)
    }

    /// Whether frames wait for the transport to take them.
    package var isBacklogged: Bool { !outbox.isEmpty }

    /// One turn.
    /// - Throws: what transport, runner or clock throw; the loop must not be used after that.
    package mutating func turn() throws -> Progress {
        try transport.wait(until: machine.nextDeadline, toSend: isBacklogged)
        counters.turns += 1
        try readFrames()
        try readReports()
        // After everything was read, since a renewal's answer that waits must be taken before a lease is found to be over.
        try decide(.tick, at: try clock.now())
        // After the tick, so that what follows from it leaves in the same turn; the clock is read again, as bulk jobs may have run
        // meanwhile.
        try decide(.turnEnds, at: try clock.now())
        runner.noteLease(until: machine.leaseEnd)
        try sendTurn()
        return progress
    }

    private mutating func readFrames() throws {
        var byteCount = 0
        while byteCount < bounds.readByteCount, let frame = try transport.receive() {
            byteCount += frame.count
            let envelope: WorkerBoundEnvelope
            do {
                envelope = try codec.decodeWorkerBound(frame)
            } catch {
                counters.malformed += 1
                try decide(.unreadable(error), at: try clock.now())
                continue
            }
            try decide(.received(envelope), at: try clock.now())
        }
    }

    private mutating func readReports() throws {
        try runner.takeReports(into: &reports)
        guard !reports.isEmpty else { return }
        let now = try clock.now()
        for report in reports { try decide(.reported(report), at: now) }
        reports.removeAll(keepingCapacity: true)
    }

    /// Lets the machine decide and does what it wants; what follows from that is decided in the same turn.
    private mutating func decide(_ event: WorkerEvent, at now: MonotonicTime) throws {
        var next: (event: WorkerEvent, at: MonotonicTime)? = (event, now)
        while true {
            if let (event, now) = next { machine.handle(event, at: now, into: &actions) }
            // By count, and emptied at the end: what an action leads to adds actions behind it, and nothing is moved for each.
            guard performedCount < actions.count else { break }
            let action = actions[performedCount]
            performedCount += 1
            next = try perform(action)
        }
        actions.removeAll(keepingCapacity: true)
        performedCount = 0
    }

    /// Does one thing; returns what it led to.
    private mutating func perform(_ action: WorkerAction) throws -> (event: WorkerEvent, at: MonotonicTime)? {
        switch action {
        case .send(let message): outgoing.append(message)
        case .register(let registration): return try register(registration)
        case .reconnect:
            forgetUnsent()
            try transport.reconnect()
        case .start(let work): try runner.start(work)
        case .cancelWork(let token, let reason): try runner.cancel(token, because: reason)
        case .killWork(let token): return (.workKilled(token, try runner.kill(token)), try clock.now())
        case .runBulk(let work):
            var ended = WorkerMessage.Ended(report: 0)
            let rows = try runner.runBulk(work, into: &ended)
            counters.bulkJobs += UInt64(rows)
            return (.bulkEnded(ended, rows: rows), try clock.now())
        case .armKillTimer(let instant):
            try clock.armKillTimer(at: instant)
            return (.killTimerArmed, try clock.now())
        case .disarmKillTimer: try clock.disarmKillTimer()
        case .ignored(let reason): counters.ignored[reason, default: 0] += 1
        case .finish: progress = .finished
        case .refused(let reason): progress = .refused(reason: reason)
        }
        return nil
    }

    /// A registration waits for nobody: its leases count from its sending.
    private mutating func register(_ registration: WorkerMessage.Registration) throws -> (event: WorkerEvent, at: MonotonicTime)? {
        forgetUnsent()
        let envelope = WorkerEnvelope(
            worker: machine.worker, epoch: machine.epoch, registrationNumber: machine.registrationNumber,
            messages: [.register(registration)])
        guard try !transport.send(codec.encode(envelope)) else { return nil }
        return (.registerUnsent, try clock.now())
    }

    private mutating func forgetUnsent() {
        outgoing.removeAll(keepingCapacity: true)
        outbox.removeAll()
        outboxByteCount = 0
    }

    /// All messages of the turn leave in one frame, or in several if the front's largest frame is smaller.
    private mutating func sendTurn() throws {
        // What waits from earlier turns first, so that messages keep their order.
        if isBacklogged { try sendOutbox() }
        var batch: [WorkerMessage] = []
        var batchByteCount = 0
        for message in outgoing {
            let byteCount = message.greatestByteCount
            if !batch.isEmpty, batchByteCount + byteCount > bounds.frameByteCount {
                try enqueue(batch)
                batch.removeAll(keepingCapacity: true)
                batchByteCount = 0
            }
            batch.append(message)
            batchByteCount += byteCount
        }
        if !batch.isEmpty { try enqueue(batch) }
        outgoing.removeAll(keepingCapacity: true)
    }

    private mutating func sendOutbox() throws {
        while let frame = outbox.first, try transport.send(frame) {
            outbox.removeFirst()
            outboxByteCount -= frame.count
        }
    }

    /// Each frame leaves before the next is made, if it can: what a turn comes to may be more than may wait.
    private mutating func enqueue(_ messages: [WorkerMessage]) throws {
        let frame = codec.encode(
            WorkerEnvelope(worker: machine.worker, epoch: machine.epoch, registrationNumber: machine.registrationNumber, messages: messages)
        )
        guard outboxByteCount + frame.count <= bounds.outboxByteCount else {
            counters.unsentFrames += 1
            return
        }
        outbox.append(frame)
        outboxByteCount += frame.count
        try sendOutbox()
    }
}

/// The bounds of a worker's loop.
package struct WorkerLoopBounds: Hashable, Sendable {
    /// Bytes of the greatest frame that the front takes, less room for the envelope: messages of a turn are split there.
    package var frameByteCount = MessageBounds.frameByteCount - Self.envelopeByteCount
    /// Bytes that may wait to be sent; further frames are dropped, since all that matters is repeated.
    package var outboxByteCount = 4 << 20
    /// Bytes that are read in one turn before deadlines are looked at.
    package var readByteCount = 4 << 20

    /// The envelope around messages has ids and numbers only; a page of room costs nothing.
    private static let envelopeByteCount = 4_096

    /// The defaults.
    package init() {}
}

/// What a worker's loop has counted since it began.
package struct WorkerCounters: Hashable, Sendable {
    /// Turns.
    package var turns: UInt64 = 0
    /// Frames that could not be read.
    package var malformed: UInt64 = 0
    /// Frames that were dropped because too much was unsent; their content is repeated.
    package var unsentFrames: UInt64 = 0
    /// Messages that came late, by reason.
    package var ignored: [WorkerIgnoredReason: UInt64] = [:]
    /// Bulk jobs that ran.
    package var bulkJobs: UInt64 = 0
}

/// The worker's connection to the front: whole frames, lost or late as networks do, never blocking but in `wait`.
///
/// Every function may throw: the loop then ends as if the process had died there.
package protocol WorkerTransport {
    /// Waits until a frame can be received, a report of running work waits, what is unsent could be sent, or `deadline` has come.
    mutating func wait(until deadline: MonotonicTime, toSend: Bool) throws
    /// The next frame that has arrived, or nil.
    mutating func receive() throws -> [UInt8]?
    /// Hands a frame over; false if it does not take one now.
    mutating func send(_ frame: [UInt8]) throws -> Bool
    /// Forgets the connection with all that is on its way and makes another.
    mutating func reconnect() throws
}

/// What runs the jobs, outside of the loop save for short ones. No call blocks but `runBulk`.
package protocol WorkerRunner {
    /// Begins a job; its end is reported exactly once.
    mutating func start(_ work: WorkStart) throws
    /// Cancels the task of a run, with the reason.
    mutating func cancel(_ token: WorkToken, because reason: CancelReason) throws
    /// Kills the process that a run says it has for itself; never waits.
    /// - Returns: whether it has one.
    mutating func kill(_ token: WorkToken) throws -> Bool
    /// Runs rows from the front of `work` on the calling thread and adds an outcome for each to `ended`.
    /// - Returns: how many, at least one; the runner stops early to keep renewals in time.
    mutating func runBulk(_ work: BulkWork, into ended: inout WorkerMessage.Ended) throws -> Int
    /// Moves what running work has said since the last call to the end of `reports`.
    mutating func takeReports(into reports: inout [WorkReport]) throws
    /// Until then the leases of all work hold.
    mutating func noteLease(until end: MonotonicTime)
}

extension WorkerRunner {
    package mutating func noteLease(until end: MonotonicTime) {}
}

/// The worker's clock and the kernel timer that ends the process; both count while the machine sleeps.
package protocol WorkerClock {
    /// Reads the clock.
    mutating func now() throws -> MonotonicTime
    /// From now on the process ends at that instant, whatever it does; replaces an earlier one.
    mutating func armKillTimer(at instant: MonotonicTime) throws
    /// The process is left alone again.
    mutating func disarmKillTimer() throws
}
