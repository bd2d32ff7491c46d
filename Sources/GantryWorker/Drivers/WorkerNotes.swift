//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Synchronization

/// Notes of a worker for its log. A log may be slow to write: a thread of its own waits for it, not the loop's thread nor one of the few
/// threads that all tasks share.
final class WorkerNotes: Sendable {
    /// What people missed because nobody reads the log is not worth more memory; the newest stay.
    private static let limit = 64
    /// How long nothing may happen at first before the log says what the worker waits for.
    private static let silenceLimit = Duration.seconds(3)

    private struct State {
        var waiting: [WorkerNote] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let signal: EventSignal

    init() throws(SystemError) { signal = try EventSignal() }

    /// Leaves a note; never blocks.
    func add(_ note: WorkerNote) {
        state.withLock { state in
            if state.waiting.count == Self.limit { state.waiting.removeFirst() }
            state.waiting.append(note)
        }
        signal.signal()
    }

    /// No note follows.
    func finish() {
        state.withLock { $0.isFinished = true }
        signal.signal()
    }

    /// Writes every note, in order, on the calling thread, and once that none has come for a while at first; returns after the last one.
    func deliver(to log: (WorkerNote) -> Void) {
        var isSilent = true
        while true {
            let (notes, isFinished) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isFinished)
            }
            for note in notes { log(note) }
            if isFinished { return }
            isSilent = isSilent && notes.isEmpty
            let isReadable = try? NumberedDescriptor.waitReadable(
                signal.fileDescriptor, upTo: isSilent ? Self.silenceLimit : NumberedDescriptor.longestWait)
            if isSilent, isReadable == false {
                isSilent = false
                log(.waiting)
            }
            signal.drain()
        }
    }
}

/// What happens to a worker that people may want to read of.
enum WorkerNote: Hashable, Sendable {
    /// No front has answered in the first seconds.
    case waiting
    /// A front has taken it.
    case registered(WorkerID, Epoch)
    /// The front does not take it for now.
    case refused(WorkerID, Refused)
    /// It takes no new jobs, and that comes to so much.
    case draining(WorkerID, DrainOutlook)
    /// It ends because that job does not stop.
    case cannotStop(WorkerID, JobID)
    /// It gives jobs with limits back, because their starts cannot be recorded; nil: it records them again.
    case unrecorded(WorkerID, reason: String?)
    /// It has ended as it was asked to.
    case ended(WorkerID)
}
