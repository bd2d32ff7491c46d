//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A worker whose process the kernel calls ended cannot run anything any more, whatever is left of its lease.
///
/// That holds for a process that the connection was seen to belong to, and that the worker calls its own; a record of it outlives the front,
/// so that the next life knows at once who died meanwhile. Of all other workers only the end of the lease tells.
extension FrontMachine {
    /// Asks to be told of the end of a worker's process, if that is known.
    mutating func watchProcess(ofWorker index: Int) {
        guard let process = state.workers[index]?.registration.process else { return }
        turn.emit(.watch(process))
    }

    /// A worker is forgotten, and its process unless it is another worker's too.
    mutating func unwatchProcess(ofWorker index: Int) {
        guard let process = state.workers[index]?.registration.process else { return }
        turn.step(state.workers.count)
        let isShared = state.workers.indices.contains { $0 != index && state.workers[$0]?.registration.process == process }
        if !isShared { turn.emit(.unwatch(process)) }
    }

    /// A process has ended: its workers get no more jobs, and those that they held are free once their last words are read.
    mutating func processEnded(_ process: ProcessIdentity) {
        turn.step(state.workers.count)
        // What it had sent is read until then: its outcomes count.
        let end = turn.now.monotonic.adding(milliseconds: turn.settings.graceMilliseconds)
        let words = WorkerRecord.LastWords(readUntil: end, awayBefore: awayMilliseconds)
        for index in state.workers.indices {
            guard let worker = state.workers[index], worker.registration.process == process else { continue }
            if !worker.hasEnded { state.workers[index]?.lastWords = words }
            turn.check(.lease(worker: index), by: end)
            noteWorker(index)
        }
    }
}
