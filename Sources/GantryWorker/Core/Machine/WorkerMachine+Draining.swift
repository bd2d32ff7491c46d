//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

// A worker that takes no new jobs any more: what it runs has a grace to end by itself, and is then stopped for others to run.
extension WorkerMachine {
    /// Takes no new jobs. What runs, and what waits in the line, goes on until its grace is over; a further cause shortens that at most.
    mutating func drain(_ cause: DrainCause, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        switch mode {
        case .serving:
            mode = .draining
            send(.draining, into: &actions)
        case .draining: break
        case .stopping: return
        }
        guard graceEnds.begin(cause, at: now, grace: settings.grace, unrepeatable: settings.unrepeatableTime) else { return }
        drainOutlook = outlook(of: cause)
    }

    /// Asks work to stop whose grace is over, and gives back what waits in the line.
    ///
    /// What does not stop in its loader's time gets the next steps as cancelled work does, or the worker would never end; not while others still have
    /// their time that must not run twice, for the last step ends this process.
    mutating func endGrace(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard mode == .draining else { return }
        let isAwaited = slots.contains { slot in slot.map { $0.state == .running && now < graceEnds.end(of: $0) } ?? false }
        for index in slots.indices {
            guard let slot = slots[index], now >= graceEnds.end(of: slot) else { continue }
            switch slot.state {
            case .running: stopWork(index, because: .workerStops, into: &actions)
            case .interrupted: break
            // Each has its own time already.
            case .cancelled, .timedOut, .abandoned: continue
            }
            if !isAwaited { beginSteps(of: index, at: now) }
        }
        if now >= graceEnds.repeatable { returnLine() }
    }

    /// Cancels all work; the front decides what happens to the jobs. What does not stop gets the next steps, too.
    mutating func stop(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard mode != .stopping else { return }
        // Only once: a worker that drains has sent it before.
        if mode == .serving { send(.draining, into: &actions) }
        mode = .stopping
        for index in slots.indices {
            if slots[index]?.state == .running { stopWork(index, because: .workerStops, into: &actions) }
            if slots[index]?.state == .interrupted { beginSteps(of: index, at: now) }
        }
        returnLine()
    }

    /// Work that was asked to stop has its loader's time from now on, if that has not begun.
    private mutating func beginSteps(of index: Int, at now: MonotonicTime) {
        guard let slot = slots[index], slot.stopStep == .asked, slot.stopBy == .distantFuture else { return }
        slots[index]?.stopBy = now.advanced(by: slot.stopTime)
    }

    /// Asks work to stop that nobody has cancelled: it ends as cancelled, as success if it was done before.
    mutating func stopWork(_ index: Int, because reason: CancelReason, into actions: inout [WorkerAction]) {
        guard let slot = slots[index] else { return }
        slots[index]?.state = .interrupted
        slots[index]?.progress = nil
        actions.append(.cancelWork(slot.token, reason))
    }

    /// Gives back what waits in the line and has not begun.
    mutating func returnLine() {
        guard lineCount > 0 else { return }
        replaceLine { job, lease, retained in
            retained.gather(job: job, lease: lease, outcome: .returned)
            return nil
        }
    }

    /// A draining worker waits until its outcomes are durable, but not for a front that was silent for a lease; a stopping one does
    /// not wait.
    ///
    /// It says which grants it has taken, not which frames it has read: of a turn whose grants go in several frames only the last one says how far
    /// they go, and what waits in `arriving` was read and never begins.
    mutating func finishIfDrained(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard mode != .serving, !hasEnded, !isBusy else { return }
        guard mode == .stopping || retained.isEmpty || (connection == .registering && now >= leaseEnd) else { return }
        send(.close(takenBelow: LeaseID(received.highest &+ 1)), into: &actions)
        connection = .ended
        actions.append(.finish)
    }

    private func outlook(of cause: DrainCause) -> DrainOutlook {
        let running = slots.compactMap { $0 }.filter { $0.state == .running }
        let repeatable = running.filter(\.isRepeatable).count
        return DrainOutlook(
            cause: cause, grace: settings.grace, unrepeatableTime: settings.unrepeatableTime, repeatable: repeatable,
            unrepeatable: running.count - repeatable, ahead: lineCount)
    }
}

/// Why a worker takes no new jobs, which decides how long those that it runs may go on.
package enum DrainCause: Hashable, Sendable {
    /// Somebody asked the front for it (`gantry worker drain`), and nothing presses.
    case request
    /// Its process is to end, as by SIGTERM or Ctrl-C: whoever sent that waits for it.
    case stop
    /// Work of it does not stop, and its process ends because of that: see `WorkerMachine.endsAt`.
    case stuckWork
}

/// When the grace of a draining worker is over, for each kind of its work.
struct GraceEnds: Hashable, Sendable {
    /// For work that may run again, and for what waits in the line.
    private(set) var repeatable = MonotonicTime.distantFuture
    /// For work that must not run twice and whose attempt has no time-out.
    private(set) var unrepeatable = MonotonicTime.distantFuture
    /// For work that must not run twice and whose attempt has a time-out, which ends it before this.
    private(set) var unrepeatableWithTimeout = MonotonicTime.distantFuture

    /// A cause begins its grace; one that is under way is never prolonged.
    ///
    /// What a request stops may have done something that nobody can find out: so it is waited for as long as such work usually takes. A stop
    /// cannot wait: what sent it kills the process some time later, and the outcome is unknown then too.
    /// - Returns: whether any work has less time than before.
    mutating func begin(_ cause: DrainCause, at now: MonotonicTime, grace: Duration, unrepeatable length: Duration) -> Bool {
        let before = self
        let end = now.advanced(by: grace)
        switch cause {
        case .request:
            repeatable = min(repeatable, end)
            // A grace that somebody made longer than that holds for this work too.
            unrepeatable = min(unrepeatable, max(end, now.advanced(by: length)))
        case .stop:
            repeatable = min(repeatable, end)
            unrepeatable = min(unrepeatable, end)
            unrepeatableWithTimeout = min(unrepeatableWithTimeout, end)
        // Work beside stuck work has a time of its own, `endsAt`, and no grace.
        case .stuckWork: break
        }
        return self != before
    }

    /// When that of a slot's work is over.
    func end(of slot: Slot) -> MonotonicTime {
        if slot.isRepeatable { return repeatable }
        return slot.timeout == nil ? unrepeatable : unrepeatableWithTimeout
    }
}

/// What a drain comes to, as it begins, for people.
package struct DrainOutlook: Hashable, Sendable {
    /// Why.
    package let cause: DrainCause
    /// How long work that may run again has.
    package let grace: Duration
    /// How long other work has at least where nothing presses and its attempt has no time-out.
    package let unrepeatableTime: Duration
    /// How many running jobs may run again.
    package let repeatable: Int
    /// How many must not run twice.
    package let unrepeatable: Int
    /// How many bulk jobs wait in the line.
    package let ahead: Int

    package init(cause: DrainCause, grace: Duration, unrepeatableTime: Duration, repeatable: Int, unrepeatable: Int, ahead: Int) {
        (self.cause, self.grace, self.unrepeatableTime) = (cause, grace, unrepeatableTime)
        (self.repeatable, self.unrepeatable, self.ahead) = (repeatable, unrepeatable, ahead)
    }
    /// Said before anything is stopped. How long the grace is that a stop gives, whoever stops the process says: it may end that itself.
    package var text: String {
        let isPressed = cause == .stop
        let text = isPressed ? "draining: " : "draining, as somebody asked the front: "
        guard repeatable + unrepeatable + ahead > 0 else { return text + "no job runs" }
        // What is none now is left out.
        let end = isPressed ? "at the end of the grace" : "after \(grace.line)"
        var parts = repeatable == 0 ? [] : ["running jobs that may run again (\(repeatable) now) go back to the queue \(end)"]
        if unrepeatable > 0 {
            let others = repeatable == 0 ? "of running jobs that may not run again" : "and of the others"
            let pressed = repeatable == 0 ? end : "then"
            let later = "after their attempts' time-outs, or \(max(grace, unrepeatableTime).line) where they have none"
            parts.append("\(others) (\(unrepeatable) now) the outcome is unknown \(isPressed ? pressed : later)")
        }
        let running = parts.joined(separator: ", ")
        guard ahead > 0 else { return text + running }
        let bulk = "bulk jobs that have not begun (\(ahead) now) go back"
        return text + (repeatable == 0 ? running + (running.isEmpty ? "" : "; ") + "\(bulk) \(end)" : "\(running); \(bulk) with the first")
    }
}

// Work that is to stop: it is asked, it has its loader's time, then the process that it runs in is killed, and at last this worker ends.
extension WorkerMachine {
    /// Attempts that have taken their time are asked to stop.
    mutating func timeOut(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        for index in slots.indices {
            guard let slot = slots[index], slot.state == .running, now >= slot.timesOutAt else { continue }
            slots[index]?.state = .timedOut
            slots[index]?.progress = nil
            slots[index]?.stopBy = now.advanced(by: slot.stopTime)
            actions.append(.cancelWork(slot.token, .timedOut))
            send(.cancelStep(slot.lease, .timedOut), into: &actions)
        }
    }

    /// Work that was asked to stop and has had its loader's time gets the next step.
    mutating func stopOverdue(at now: MonotonicTime, into actions: inout [WorkerAction]) {
        for index in slots.indices {
            guard let slot = slots[index], now >= slot.stopBy else { continue }
            // The kernel's timer watches over it: the front has given its lease away and wants no more steps.
            if case .abandoned = slot.state { continue }
            slots[index]?.stopBy = .distantFuture
            switch slot.stopStep {
            case .asked: actions.append(.killWork(slot.token))
            case .killed: end(becauseOf: index, at: now, into: &actions)
            case .ending: break
            }
        }
    }

    /// The process that work runs in was killed, if it has one. Whatever waits for that process has the loader's time once more.
    mutating func workKilled(_ token: WorkToken, _ hadProcess: Bool, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard let index = slotIndex(of: token), let slot = slots[index] else { return actions.append(.ignored(.unknownWork)) }
        guard hadProcess else { return end(becauseOf: index, at: now, into: &actions) }
        slots[index]?.stopStep = .killed
        slots[index]?.stopBy = now.advanced(by: slot.stopTime)
        if slot.isStopping { send(.cancelStep(slot.lease, .killed), into: &actions) }
    }

    /// Nothing but the end of this process stops the work. The worker takes no jobs any more, and what runs beside it has some time to end: as long as
    /// its attempts may take, and no longer than a minute. The kernel watches that from now on, whatever this process does.
    private mutating func end(becauseOf index: Int, at now: MonotonicTime, into actions: inout [WorkerAction]) {
        guard let slot = slots[index] else { return }
        slots[index]?.stopStep = .ending
        if slot.isStopping { send(.cancelStep(slot.lease, .ending), into: &actions) }
        endsBecauseOf = endsBecauseOf ?? slot.job
        drain(.stuckWork, at: now, into: &actions)
        let others = slots.compactMap { $0 }.filter { $0.stopStep != .ending }.map(\.timesOutAt).max()
        // Outcomes that are not durable yet are waited for as work is.
        let end = others ?? (retained.isEmpty && lineCount == 0 ? now : .distantFuture)
        // At least so much later, because the report of this step has to leave first; a time that another stuck job has set only gets
        // shorter.
        endsAt = max(now.advanced(by: settings.killDelay), min(end, now.advanced(by: settings.neighborTime), endsAt ?? .distantFuture))
    }

    /// Nobody has to be waited for any more before the worker ends: what was sent leaves first.
    mutating func endSoon(at now: MonotonicTime) {
        guard let end = endsAt, lineCount == 0, retained.isEmpty, slots.allSatisfy({ $0 == nil || $0?.stopStep == .ending }) else { return }
        endsAt = min(end, now.advanced(by: settings.killDelay))
    }

    /// A front that has not heard of a run's time being over hears of it, and how far its stopping has come.
    func resendSteps(of slot: Slot, into actions: inout [WorkerAction]) {
        if slot.state == .timedOut { send(.cancelStep(slot.lease, .timedOut), into: &actions) }
        switch slot.stopStep {
        case .asked: break
        case .killed: send(.cancelStep(slot.lease, .killed), into: &actions)
        case .ending: send(.cancelStep(slot.lease, .ending), into: &actions)
        }
    }
}
