//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

/// What the records of a folder state, gathered line by line.
package struct RecordedRuns: Sendable {
    /// Who has written records.
    package struct Writer: Hashable, Sendable {
        /// Its newest head.
        package var head: RecordHead
        /// Its files, oldest first.
        package var files: [String]
        /// From when on its lines are there: its own beginning, or where the oldest lines were removed.
        package var since: RecordLine
        /// Its last line.
        package var last: RecordLine
        /// The hash of that, and how many lines it has written.
        package var lastHash = RecordHead.noHash
        package var lineCount = 0
        /// Until when its leases hold, in nanoseconds since the boot.
        var leaseEnd: Int64 = 0

        /// Whether older lines of it were removed because it had reached its bound.
        package var isCut: Bool {
            guard case .head(let head) = since.event else { return false }
            return head.number > 1
        }
    }

    /// Jobs that began together, and when.
    struct Run: Sendable {
        let writer: Int
        var starts: [RecordedStart]
        let boot: Int64
        var stop: Int64?
    }

    private struct RunKey: Hashable {
        let writer: Int
        let run: UInt64
    }

    /// Everybody who has written, in the order of the files.
    package private(set) var writers: [Writer] = []
    /// Files whose last line was torn, with the bytes that were left out.
    package private(set) var torn: [(file: String, byteCount: Int)] = []
    /// Files that were removed at the folder's bound.
    package private(set) var removed: Set<String> = []
    private(set) var runs: [Run] = []
    private(set) var closings: [ProcessIdentity: (boot: Int64, how: String)] = [:]
    private var indexes: [RunKey: Int] = [:]
    private var seen: Set<String> = []

    /// Nothing is read yet.
    package init() {}

    /// A file begins.
    /// - Returns: the number of its writer.
    mutating func add(_ head: RecordHead, at line: RecordLine, file: String) -> Int {
        seen.formUnion(head.seen)
        if let last = writers.indices.last, writers[last].head.writer == head.writer, writers[last].head.process == head.process {
            writers[last].head = head
            writers[last].files.append(file)
            return last
        }
        writers.append(Writer(head: head, files: [file], since: line, last: line))
        return writers.count - 1
    }

    /// A line of a writer.
    mutating func take(_ line: RecordLine, of writer: Int) {
        writers[writer].last = line
        switch line.event {
        case .starts(let starts): begin(starts, of: writer, at: line.boot)
        case .stop(let run):
            guard let index = indexes[RunKey(writer: writer, run: run)] else { return }
            runs[index].stop = line.boot
        case .lease(let end): writers[writer].leaseEnd = max(writers[writer].leaseEnd, end)
        case .closed(let process, let how):
            guard closings[process].map({ $0.boot > line.boot }) ?? true else { return }
            closings[process] = (line.boot, how)
        case .removed(let file, _): removed.insert(file)
        case .head, .unknown: break
        }
    }

    private mutating func begin(_ starts: [RecordedStart], of writer: Int, at boot: Int64) {
        guard let first = starts.first else { return }
        writers[writer].leaseEnd = max(writers[writer].leaseEnd, first.leaseEnd)
        let key = RunKey(writer: writer, run: first.run)
        guard let index = indexes[key] else {
            indexes[key] = runs.count
            return runs.append(Run(writer: writer, starts: starts, boot: first.since ?? boot))
        }
        // What repeats an earlier file is known; in the first format each job of a run had a line.
        if first.since == nil { runs[index].starts += starts }
    }

    /// A file of a writer ends.
    mutating func noteEnd(of writer: Int, lastHash: String, lineCount: Int) {
        (writers[writer].lastHash, writers[writer].lineCount) = (lastHash, lineCount)
    }

    mutating func noteTorn(_ file: String, byteCount: Int) { torn.append((file, byteCount)) }

    /// Files that a head has seen and that are neither here nor removed at the bound: somebody has taken them away, or they belong to a machine whose
    /// folder this was copied from.
    package var missing: [String] {
        let here = Set(writers.flatMap(\.files))
        return seen.subtracting(here).subtracting(removed).filter { name in !isCutOff(name) }.sorted()
    }

    /// Whether a writer that is here has removed that file of its own.
    private func isCutOff(_ name: String) -> Bool {
        // All but its number is the same; its writer has a later one.
        let stem = name.dropLast(RecordedRuns.numberedEnding)
        return writers.contains { writer in writer.files.first.map { $0.hasPrefix(stem) && $0 > name } ?? false }
    }

    /// How many characters the number of a file and its ending have.
    private static let numberedEnding = "000001.record".count
}

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
