//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

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
