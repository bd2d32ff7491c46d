//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryModel

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
