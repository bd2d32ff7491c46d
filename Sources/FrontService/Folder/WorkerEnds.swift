//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import GantryAuditRecord
import GantryModel
import GantryPlatform
import Synchronization

/// Writes down when the front has seen that a worker's process had ended. From then on it may give the permits of that worker's runs to others, so
/// without this line those runs would count as running beside them.
///
/// The time is taken on the thread of the loop, the line is written on another one: a disk that hangs holds up no turn.
final class WorkerEnds: Sendable {
    /// Ends that may wait to be written: beyond it the runs of a worker count until its lease is over. More workers are not registered at once.
    private static let limit = 1_024

    private let recorder: EndRecorder
    private let queue = DispatchQueue(label: "gantry-ends")
    private let waiting = Mutex(0)

    init(folder: String) { recorder = EndRecorder(folder: folder + "/audit", role: .front) }

    /// A process has ended.
    func note(_ process: ProcessIdentity) {
        let (boot, wall) = (SystemClock.bootNanoseconds(), WallTime(milliseconds: SystemClock.wallMilliseconds()))
        let hasRoom = waiting.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard hasRoom else { return }
        queue.async { [self] in
            recorder.note(process, how: "seen by the front", boot: boot, wall: wall)
            waiting.withLock { $0 -= 1 }
        }
    }
}
