//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryWorker

extension World {
    /// Plans the faults that come by themselves; those between calls are planned by counting.
    func planFaults() {
        guard !variation.isQuiet else { return }
        for (kind, milliseconds) in swarm.every { plan(kind, every: milliseconds) }
    }

    private func plan(_ kind: FaultKind, every milliseconds: Int64) {
        after(random.between(milliseconds / 4, 2 * milliseconds)) { [self] in
            guard isStormy else { return }
            inject(kind)
            plan(kind, every: milliseconds)
        }
    }

    private func inject(_ kind: FaultKind) {
        switch kind {
        case .frontKilled: kill(front, kind)
        case .workerKilled: kill(random.pick(workers), kind)
        case .clientKilled: kill(random.pick(Array(clients.dropFirst())), kind)
        case .processStopped:
            guard let process = random.pick(processes.filter(\.isAlive)) else { return }
            let milliseconds = random.spread(100, 20_000)
            count(kind, for: milliseconds)
            process.stop(for: milliseconds)
        case .drain:
            guard let worker = random.pick(workers), worker.isAlive else { return }
            count(kind)
            worker.reports.append(random.chance(0.7) ? .drain : .stop)
            worker.wake()
        case .connectionBroken: network.breakOne()
        case .oneWayBlocked: network.blockOne()
        case .wallJump:
            count(kind)
            wallOffset = min(max(wallOffset + random.between(-10_800_000, 10_800_000), -Self.furthestOffset), Self.furthestOffset)
            ledger.queue.clockJumps()
            note("the wall clock jumps to \(wallOffset) ms")
        case .diskFull: disk.fill()
        case .diskFailed: disk.failsNext = true
        case .crashBetweenCalls, .pauseBetweenCalls, .killTimer, .poison, .lateFrames, .slowFrame, .frameRepeated, .publicationDropped,
            .socketFull,
            .slowCommit, .rowTorn, .rowUnannounced, .rowInDoubtWritten, .rowInDoubtLost, .authorityLapsed, .frontDeposed, .cancelIgnored,
            .objectDamaged, .objectCollected, .byteFlipped, .hostileFrame,
            .sessionClosed, .startUnrecorded:
            break
        }
    }

    /// Counts a fault, and notes for how long its effects may be felt: what must be quick is so only while nothing disturbs it.
    func count(_ kind: FaultKind, for milliseconds: Int64 = 0) {
        faults.count(kind)
        switch kind {
        case .frameRepeated, .publicationDropped, .hostileFrame, .objectDamaged, .objectCollected, .byteFlipped, .wallJump, .cancelIgnored,
            .drain, .sessionClosed, .startUnrecorded:
            break
        case .crashBetweenCalls, .pauseBetweenCalls, .frontKilled, .workerKilled, .clientKilled, .processStopped, .killTimer, .poison,
            .connectionBroken, .lateFrames, .oneWayBlocked, .slowFrame, .socketFull, .slowCommit, .diskFull, .diskFailed, .rowTorn,
            .rowUnannounced, .rowInDoubtWritten, .rowInDoubtLost, .authorityLapsed, .frontDeposed:
            // A lease, a reconnection and a restart come after it.
            disturbedUntil = max(disturbedUntil, now + (milliseconds + variation.times.loss.wholeMilliseconds + 1_500) * 1_000_000)
        }
    }

    /// A front has left work to later turns: its next life is often the one that has to go on with it.
    func mayKillAtWork() {
        guard isStormy, workChance.chance(0.3) else { return }
        after(workChance.spread(1, 40)) { [self] in
            if isStormy { kill(front, .frontKilled) }
        }
    }

    private func kill(_ process: Process?, _ kind: FaultKind) {
        guard let process, process.isAlive else { return }
        count(kind)
        process.die(kind.rawValue)
    }

    /// A fault between two calls of a process: it ends there, or it stands still there.
    func strike(_ process: Process) {
        plan(process)
        guard isStormy, process.callsToFault != .max else { return }
        if random.chance(swarm.crashShare), process !== clients.first {
            count(.crashBetweenCalls)
            process.die("between two calls")
        } else {
            // A short pause changes an order; one longer than a lease makes others give up.
            let milliseconds = random.chance(swarm.longPauseShare) ? random.between(3_000, 12_000) : random.spread(1, 2_000)
            count(.pauseBetweenCalls, for: milliseconds)
            note("\(process.name) stands still for \(milliseconds) ms between two calls")
            process.stoppedUntil = max(process.stoppedUntil, now + milliseconds * 1_000_000)
            pass(milliseconds, for: process)
        }
    }

    /// Plans the next fault between two calls of a process.
    func plan(_ process: Process) {
        let mean =
            process is FrontProcess ? swarm.frontCalls : process is WorkerProcess ? swarm.workerCalls : swarm.clientCalls
        process.callsToFault = mean == 0 || !isStormy || variation.isQuiet ? .max : random.between(1, 2 * mean)
    }
}
