//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// A run as it was: when it began and ended, on one line of time for all machines and boots, and how that is known.
package struct AuditedRun: Hashable, Sendable {
    /// How the end of a run is known.
    package enum Ending: Hashable, Sendable {
        /// Its worker has written it down.
        case stopped
        /// Its worker's process has ended, which somebody has seen and written down.
        case closed(how: String)
        /// It runs still.
        case running
        /// Nobody knows: it counts as running until 500 ms after its lease.
        case unclosed
    }

    /// The worker: its label, and the name that its files have.
    package var label: String
    package var writer: RecordWriterName
    /// Its process.
    package var process: ProcessIdentity
    /// Its jobs, one after another if there are several.
    package var starts: [RecordedStart]
    /// When it began and ended, in nanoseconds since 1970.
    package var start: Int64
    package var end: Int64
    /// Until when it surely ran: the same as `end`, but for one that nobody closed.
    package var sureEnd: Int64
    /// How that is known.
    package var ending: Ending

    /// - Parameter sureEnd: nil: the same as `end`.
    package init(
        label: String, writer: RecordWriterName, process: ProcessIdentity, starts: [RecordedStart], start: Int64, end: Int64,
        sureEnd: Int64? = nil, ending: Ending
    ) {
        (self.label, self.writer, self.process, self.starts) = (label, writer, process, starts)
        (self.start, self.end, self.sureEnd, self.ending) = (start, end, sureEnd ?? end, ending)
    }

    /// How long behind its lease a run may go on: the front gives its permits to others then.
    package static let grace: Duration = .milliseconds(500)
}

extension RecordedRuns {
    /// All runs, in the order in which they began.
    ///
    /// Times of one boot are those of its boot clock, which nobody sets. The boot of whoever asks is laid by what both clocks show now, each other one
    /// by what they showed with its last line.
    /// - Parameters:
    ///   - now: nanoseconds since 1970.
    ///   - here: the boot of this machine, and what its clock shows now; nil: it is not known.
    ///   - isRunning: whether a process runs.
    package func audited(at now: Int64, here: (bootID: String, boot: Int64)? = nil, isRunning: (ProcessIdentity) -> Bool) -> [AuditedRun] {
        var offsets = bootOffsets
        if let here { offsets[here.bootID] = now - here.boot }
        var alive: [Int: Bool] = [:]
        var audited: [AuditedRun] = []
        for run in runs {
            let writer = writers[run.writer]
            let offset = offsets[writer.head.bootID] ?? 0
            var known = AuditedRun(
                label: writer.head.label, writer: writer.head.writer, process: writer.head.process, starts: run.starts,
                start: run.boot + offset, end: 0, sureEnd: 0, ending: .stopped)
            if let stop = run.stop {
                known.end = stop + offset
            } else if let closing = closings[writer.head.process] {
                (known.end, known.ending) = (max(closing.boot, writer.last.boot) + offset, .closed(how: closing.how))
            } else if alive[run.writer] ?? isRunning(writer.head.process) {
                alive[run.writer] = true
                (known.end, known.ending) = (max(now, known.start), .running)
            } else {
                alive[run.writer] = false
                // Behind its last line nobody has seen it.
                known.sureEnd = max(writer.last.boot, run.boot) + offset
                known.end = max(known.sureEnd, min(now, writer.leaseEnd + AuditedRun.grace.wholeNanoseconds + offset))
                known.ending = .unclosed
            }
            if known.ending != .unclosed { known.sureEnd = known.end }
            audited.append(known)
        }
        return audited.sorted { ($0.start, $0.writer.id, $0.starts[0].run) < ($1.start, $1.writer.id, $1.starts[0].run) }
    }

    /// What to add to the boot clock of each boot, so that it shows nanoseconds since 1970.
    private var bootOffsets: [String: Int64] {
        var offsets: [String: (last: Int64, offset: Int64)] = [:]
        for writer in writers {
            let (bootID, last) = (writer.head.bootID, writer.last)
            if let known = offsets[bootID], known.last >= last.boot { continue }
            offsets[bootID] = (last.boot, last.wall.milliseconds * 1_000_000 - last.boot)
        }
        return offsets.mapValues(\.offset)
    }
}
