//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
package import GantryPlatform
import Synchronization

/// Writes the record of one process, which nobody else writes. Used by one thread.
///
/// Nothing is written before the first job with limits. A line is one write and no sync: what it is for is to show which processes ran what on this
/// machine, and whatever the file system forgets with the kernel, no process of that boot runs behind it.
package final class RecordWriter {
    private final class Open {
        let folder: DirectoryDescriptor
        let file: OwnedDescriptor
        var byteCount: Int64

        init(folder: consuming DirectoryDescriptor, file: consuming OwnedDescriptor, byteCount: Int64) {
            self.folder = folder
            self.file = file
            self.byteCount = byteCount
        }
    }

    private let folder: String
    private let writer: RecordWriterName
    private let label: String
    private let bounds: RecordBounds
    private var process: ProcessIdentity?
    private var open: Open?
    private var chain = RecordChain()
    /// The number of the newest file.
    private var number = 0
    private var lineCount = 0
    /// Lines that could not be written yet: stops of what had begun, and one lease. So many runs can be open, so much can wait.
    private var waiting: [UInt8] = []
    /// The starts of runs that have not ended, in order.
    private var openRuns: [(run: UInt64, starts: [RecordedStart], boot: Int64)] = []
    private var lastRun: UInt64 = 0
    private var leaseEnd: Int64 = 0

    /// A record in a folder, which is made with the first line.
    /// - Parameter folder: `DATA/audit`.
    package init(folder: String, writer: RecordWriterName, label: String, bounds: RecordBounds = RecordBounds()) {
        (self.folder, self.writer, self.label, self.bounds) = (folder, writer, label, bounds)
    }

    /// A job that is about to begin, as `begin` wants it.
    package typealias Job = (job: JobID, attempt: UInt32, limited: LimitedRun)

    /// Jobs are about to begin, one after another if there are several: once this has returned, their starts can be read by everybody.
    /// - Returns: what names the run.
    /// - Throws: what keeps them from being written; then they must not begin.
    package func begin(_ jobs: [Job]) throws(SystemError) -> UInt64 {
        try makeReady()
        let (run, now) = (lastRun + 1, Self.now)
        let starts = jobs.map {
            RecordedStart(run: run, job: $0.job, attempt: $0.attempt, limited: $0.limited, leaseEnd: leaseEnd)
        }
        let (before, count) = (chain, lineCount)
        let bytes = starts.isEmpty ? [] : line(RecordLine(boot: now.boot, wall: now.wall, .starts(starts)))
        try write(bytes, after: before, count)
        lastRun = run
        openRuns.append((run, starts, now.boot))
        return run
    }

    /// The jobs of a run have ended. What cannot be written now is written later, with the time that it has now.
    package func end(_ run: UInt64) {
        guard let index = openRuns.firstIndex(where: { $0.run == run }) else { return }
        openRuns.remove(at: index)
        note(.stop(run: run))
    }

    /// Leases hold until then, in nanoseconds since the boot. It is written only while something runs.
    package func noteLease(until end: Int64) {
        guard end != leaseEnd else { return }
        leaseEnd = end
        guard !openRuns.isEmpty else { return }
        try? flush()
        // While nothing can be written, of all that come only the next one does: leases come each second, for as long as a disk is full.
        if waiting.isEmpty { note(.lease(until: end)) }
    }

    /// Another process has ended, seen at that time.
    package func close(_ process: ProcessIdentity, how: String, boot: Int64, wall: WallTime) throws(SystemError) {
        try makeReady()
        let (before, count) = (chain, lineCount)
        try write(line(RecordLine(boot: boot, wall: wall, .closed(process, how: how))), after: before, count)
    }

    private static var now: (boot: Int64, wall: WallTime) {
        (SystemClock.bootNanoseconds(), WallTime(milliseconds: SystemClock.wallMilliseconds()))
    }

    private func note(_ event: RecordLine.Event) {
        let now = Self.now
        waiting += line(RecordLine(boot: now.boot, wall: now.wall, event))
        // Later, with the next line, if not now.
        try? flush()
    }

    private func line(_ line: RecordLine) -> [UInt8] {
        lineCount += 1
        return chain.append(line.json)
    }
}

extension RecordWriter {
    private func flush() throws(SystemError) {
        guard !waiting.isEmpty else { return }
        let bytes = waiting
        try write(bytes)
        waiting.removeAll(keepingCapacity: true)
    }

    /// Lines of which none waits if they cannot be written: then the chain goes on as before them.
    private func write(_ bytes: [UInt8], after chain: RecordChain, _ lineCount: Int) throws(SystemError) {
        do throws(SystemError) { try write(bytes) } catch {
            (self.chain, self.lineCount) = (chain, lineCount)
            throw error
        }
    }

    /// Lines go to the end of the file; of those that could not be written whole, nothing stays.
    private func write(_ bytes: [UInt8]) throws(SystemError) {
        guard let open else { throw SystemError(code: .notFound, context: "writing to the record in \(folder)") }
        do throws(SystemError) { try open.file.write(bytes, at: open.byteCount) } catch {
            try? open.file.truncate(to: open.byteCount)
            throw error
        }
        open.byteCount += Int64(bytes.count)
    }

    /// There is a file of this process in the folder, with all lines up to now and room for more.
    private func makeReady() throws(SystemError) {
        // Where the folder is another one, or somebody has removed the file, what it had is gone, and the rest goes on in a new one.
        guard let open, try open.folder.place() == .here, try open.file.status().linkCount > 0 else { return try beginFile() }
        try flush()
        if open.byteCount >= bounds.fileByteCount { try beginFile() }
    }

    /// Goes on in a new file: its head names the last line of the one before, and what runs is written down once more, so that the older files can
    /// go.
    private func beginFile() throws(SystemError) {
        let process = try identify()
        let place = try DirectoryDescriptor(ownedAt: folder)
        let others = try RecordFolder.files(of: place)
        let name = RecordFileName(writer: writer, process: process, number: number + 1)
        let now = Self.now
        let isHeldUp = !waiting.isEmpty
        let head = RecordHead(
            writer: writer, label: label, process: process, host: HostInformation.name, number: number + 1, previous: chain.lastText,
            lines: lineCount, seen: others.filter { $0.writer != writer }.suffix(bounds.seen).map(\.text))
        let (before, count) = (chain, lineCount)
        var bytes = line(RecordLine(boot: now.boot, wall: now.wall, .head(head)))
        for running in openRuns {
            var again = running.starts
            for index in again.indices { (again[index].since, again[index].leaseEnd) = (running.boot, leaseEnd) }
            bytes += line(RecordLine(boot: now.boot, wall: now.wall, .starts(again)))
        }
        do throws(SystemError) { open = try Self.makeFile(name.text, with: bytes, in: place) } catch {
            (chain, lineCount) = (before, count)
            throw error
        }
        number += 1
        // What waited belonged behind the last line of a file that is gone, and what runs now stands here.
        if isHeldUp { waiting.removeAll() }
        makeRoom(others)
    }

    private static func makeFile(
        _ name: String, with bytes: [UInt8], in folder: consuming DirectoryDescriptor
    ) throws(SystemError) -> Open {
        let file = try folder.createExclusive(name, mode: 0o600)
        do throws(SystemError) { try file.write(bytes, at: 0) } catch {
            try? folder.unlink(name)
            throw error
        }
        return Open(folder: folder, file: file, byteCount: Int64(bytes.count))
    }

    private func identify() throws(SystemError) -> ProcessIdentity {
        if let process { return process }
        let found = ProcessIdentity(
            namespace: try HostInformation.processNamespace(), number: UInt32(truncatingIfNeeded: ProcessControl.currentID),
            start: try HostInformation.processStart())
        process = found
        return found
    }

    /// Removes this writer's oldest files, and those of processes that have ended, the oldest first, as far as the bounds want it.
    private func makeRoom(_ others: [RecordFileName]) {
        for old in others where old.writer == writer && old.number + bounds.files <= number { try? open?.folder.unlink(old.text) }
        var sized: [(name: RecordFileName, byteCount: Int64, modified: Int64)] = []
        for name in others where name.writer != writer {
            guard let status = try? open?.folder.status(of: name.text) else { continue }
            sized.append((name, status.byteCount, status.modifiedNanoseconds))
        }
        var total = sized.reduce(bounds.fileByteCount * Int64(bounds.files)) { $0 + $1.byteCount }
        var count = sized.count + bounds.files
        for old in sized.sorted(by: { ($0.modified, $0.name.text) < ($1.modified, $1.name.text) }) {
            guard total > bounds.folderByteCount || count > bounds.folderFiles else { return }
            guard !old.name.isOfRunningProcess, let last = lastHash(of: old.name.text, byteCount: old.byteCount) else { continue }
            note(.removed(file: old.name.text, last: last))
            try? open?.folder.unlink(old.name.text)
            (total, count) = (total - old.byteCount, count - 1)
        }
    }

    /// The hash of a file's last line, however it ends.
    private func lastHash(of name: String, byteCount: Int64) -> String? {
        var bytes: [UInt8] = []
        guard let file = try? open?.folder.openFile(name, options: .read),
            (try? file.read(into: &bytes, at: max(0, byteCount - 65_536), count: 65_536)) != nil
        else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        return (lines.last.map { String(decoding: $0.prefix(RecordChain.digits), as: UTF8.self) }) ?? RecordHead.noHash
    }
}

/// Writes down that workers' processes have ended, for whoever sees that: the process that reaps them, and the front, which gives their permits to
/// others. Any thread may use it.
package final class EndRecorder: Sendable {
    private struct State {
        var record: RecordWriter?
    }

    private let folder: String
    private let role: RecordWriterName.Role
    private let state = Mutex(State())

    /// - Parameter folder: `DATA/audit`.
    package init(folder: String, role: RecordWriterName.Role) { (self.folder, self.role) = (folder, role) }

    /// A process that has ended and was not reaped yet.
    package static func identity(of process: ProcessID) -> ProcessIdentity? {
        guard let namespace = try? HostInformation.processNamespace(), let start = try? HostInformation.processStart(of: process)
        else { return nil }
        return ProcessIdentity(namespace: namespace, number: UInt32(truncatingIfNeeded: process.rawValue), start: start)
    }

    /// A process has ended. Only that of a worker with a record gets a line; where it cannot be written, its runs count until their leases are over.
    /// - Parameters:
    ///   - boot: when that was seen, in nanoseconds since the boot: before anybody got the permits of its runs.
    package func note(_ process: ProcessIdentity, how: String, boot: Int64, wall: WallTime) {
        guard RecordFolder.hasRecord(of: process, in: folder) else { return }
        state.withLock { state in
            guard let record = state.record ?? makeRecord() else { return }
            state.record = record
            try? record.close(process, how: how, boot: boot, wall: wall)
        }
    }

    private func makeRecord() -> sending RecordWriter? {
        guard let id = try? SystemRandom.next() else { return nil }
        return RecordWriter(folder: folder, writer: RecordWriterName(role, id), label: "")
    }
}
