//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
package import GantryModel
import GantryPlatform

/// Checks the files of one writer, in their order, and hands what they state to `RecordedRuns`.
package struct RecordReading {
    private var chain = RecordChain()
    private var before: (number: Int, lines: Int)?
    private var lineCount = 0

    /// Nothing is read yet.
    package init() {}

    /// Reads a file.
    /// - Parameter isNewest: whether its writer has no later one: only there a line may be torn, by the end of the process or of the room.
    /// - Throws: where it is not what its writer wrote.
    package mutating func read(
        _ bytes: [UInt8], of name: RecordFileName, isNewest: Bool, into runs: inout RecordedRuns
    ) throws(RecordFault) {
        var (offset, number) = (0, 1)
        var writer: Int?
        while offset < bytes.count {
            let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n"))
            guard let end else {
                try readTail(bytes[offset...], of: name, line: number, isNewest: isNewest, writer, into: &runs)
                break
            }
            let line = bytes[offset..<end]
            if number == 1 { try begin(line, of: name) }
            guard let read = take(line) else {
                throw RecordFault(name.text, line: number, offset: offset, "its hash is not that of the line and the lines before it")
            }
            if case .head(let head) = read.event, number == 1 {
                writer = runs.add(head, at: read, file: name.text)
            } else if let writer {
                runs.take(read, of: writer)
            }
            (offset, number) = (end + 1, number + 1)
        }
        before = (name.number, lineCount)
        if let writer { runs.noteEnd(of: writer, lastHash: chain.lastText, lineCount: lineCount) }
    }

    /// What follows from the head of a file: where its chain begins.
    private mutating func begin(_ line: ArraySlice<UInt8>, of name: RecordFileName) throws(RecordFault) {
        guard line.count > RecordChain.digits, let first = RecordLine(json: line.dropFirst(RecordChain.digits + 1)),
            case .head(let head) = first.event, head.writer == name.writer, head.number == name.number
        else { throw RecordFault(name.text, line: 1, offset: 0, "it does not begin with the head of this file") }
        guard head.format <= RecordHead.format else {
            throw RecordFault(name.text, line: 1, offset: 0, "it has format \(head.format): a later version of gantry reads it")
        }
        if let before {
            guard head.number == before.number + 1 else {
                throw RecordFault(name.text, line: 1, offset: 0, "the file before it, number \(head.number - 1), is missing")
            }
            guard head.previous == chain.lastText, head.lines == before.lines else {
                throw RecordFault(name.text, line: 1, offset: 0, "it does not follow the file before it")
            }
        }
        (chain, lineCount) = (RecordChain(after: head.previous), head.lines)
    }

    private mutating func take(_ line: ArraySlice<UInt8>) -> RecordLine? {
        guard let json = chain.take(line), let read = RecordLine(json: json) else { return nil }
        lineCount += 1
        return read
    }

    /// A line without its end. What is torn off is left out; a whole line with something behind it was changed.
    private mutating func readTail(
        _ tail: ArraySlice<UInt8>, of name: RecordFileName, line: Int, isNewest: Bool, _ writer: Int?, into runs: inout RecordedRuns
    ) throws(RecordFault) {
        var (ahead, whole) = (chain, chain)
        if line > 1, let writer, ahead.take(tail) != nil, let read = take(tail) {
            runs.take(read, of: writer)
        } else if !isNewest || (line > 1 && whole.take(tail.dropLast()) != nil) {
            throw RecordFault(name.text, line: line, offset: tail.startIndex, "the line has no end")
        } else {
            runs.noteTorn(name.text, byteCount: tail.count)
        }
    }
}

/// A record that is not what its writer wrote, or cannot be read.
package struct RecordFault: PassingFault, CodedError {
    /// What kind of fault.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// Somebody else than its writer has changed it.
        case altered
        /// The system refused to read it.
        case unreadable

        package var description: String { rawValue }
    }

    /// What kind of fault.
    package let code: Code
    /// The file; empty: the folder.
    package let file: String
    /// The line, from 1, and where it begins in the file.
    package let line: Int
    package let offset: Int
    /// What is wrong.
    package let reason: String
    /// What the system refused.
    package let cause: ErrorCause?
    /// Whether the system may read it a moment later.
    package let mayPass: Bool

    init(_ file: String, line: Int, offset: Int, _ reason: String) {
        (code, self.file, self.line, self.offset, self.reason) = (.altered, file, line, offset, reason)
        (cause, mayPass) = (nil, false)
    }

    init(unreadable error: SystemError) {
        (code, file, line, offset, reason) = (.unreadable, "", 0, 0, "cannot be read")
        (cause, mayPass) = (ErrorCause(error, code: String(error.code.rawValue)), error.code.mayPass)
    }

    /// The place and what is wrong there.
    package var context: String { code == .altered ? "\(file), line \(line) at byte \(offset): \(reason)" : reason }
    /// What to do depends on whose records they are.
    package var nextStep: String { "" }
}

extension RecordFileName {
    func isOfSameWriter(as other: RecordFileName) -> Bool {
        writer == other.writer && process == other.process && processStart == other.processStart
    }
}

extension RecordLine {
    /// The line that some JSON says; nil: it is none.
    package init?(json: ArraySlice<UInt8>) {
        guard let raw = try? JSONDecoder().decode(RawLine.self, from: Data(json)), raw.isPossible else { return nil }
        self.init(boot: raw.boot, wall: WallTime(milliseconds: raw.wall), .unknown)
        switch raw.kind {
        case "head":
            guard let head = raw.head else { return nil }
            event = .head(head)
        case "start", "starts":
            guard let starts = raw.starts else { return nil }
            event = .starts(starts)
        case "stop":
            guard let run = raw.run else { return nil }
            event = .stop(run: run)
        case "lease":
            guard let end = raw.leaseEnd else { return nil }
            event = .lease(until: end)
        case "closed":
            guard let process = raw.identity else { return nil }
            event = .closed(process, how: raw.how ?? "")
        case "removed":
            guard let file = raw.file else { return nil }
            event = .removed(file: file, last: raw.last ?? "")
        default: break
        }
    }
}

/// All members that a line may have.
private struct RawLine: Decodable {
    struct Limit: Decodable {
        var limit: String
        var value: String?
        var weight: UInt32?
        var capacity: UInt32?
        var count: UInt32?
        var periodMilliseconds: Int64?
        var burst: UInt32?
        var ratedFrom: String?
    }

    /// What jobs of a run have in common.
    struct Common: Decodable {
        var front: String
        var takenAt: Int64?
        var limits: [Limit]
    }

    var kind: String
    var boot: Int64
    var wall: Int64
    var format: Int?
    var writer: String?
    var label: String?
    var host: String?
    var namespace: String?
    var process: UInt32?
    var processStart: UInt64?
    var number: Int?
    var previous: String?
    var lines: Int?
    var seen: [String]?
    var run: UInt64?
    var job: String?
    var attempt: UInt32?
    var lease: String?
    var leaseEnd: Int64?
    var front: String?
    var takenAt: Int64?
    var since: Int64?
    var limits: [Limit]?
    var jobs: [String]?
    var attempts: [UInt32]?
    var leases: [String]?
    var set: [Int]?
    var sets: [Common]?
    var how: String?
    var file: String?
    var last: String?

    /// Whether its times and rules can be: whoever can write records can write any number, and all that is added to them must fit.
    var isPossible: Bool {
        // Those are nanoseconds, these milliseconds.
        let times = [boot, leaseEnd ?? 0, since ?? 0].map { $0 / 1_000_000 } + [wall, takenAt ?? 0] + (sets ?? []).map { $0.takenAt ?? 0 }
        let most = Int64.max / 4_000_000
        let limits = (limits ?? []) + (sets ?? []).flatMap(\.limits)
        return times.allSatisfy { -most...most ~= $0 } && limits.allSatisfy { $0.granted.rule?.fault == nil }
    }

    var identity: ProcessIdentity? {
        guard let namespace, let process, let processStart else { return nil }
        return ProcessIdentity(namespace: namespace, number: process, start: processStart)
    }

    var head: RecordHead? {
        guard let format, let writer = writer.flatMap({ RecordWriterName($0) }), let identity, let number, let previous else { return nil }
        return RecordHead(
            writer: writer, label: label ?? "", process: identity, host: host ?? "", number: number, previous: previous, lines: lines ?? 0,
            seen: seen ?? [], format: format)
    }

    /// The jobs that begin: of a single one its own words, of several their columns; nil: they are none, or do not fit together.
    var starts: [RecordedStart]? {
        guard let run, let leaseEnd else { return nil }
        let common = sets ?? front.flatMap { front in limits.map { [Common(front: front, takenAt: takenAt, limits: $0)] } } ?? []
        guard let jobs = jobs ?? job.map({ [$0] }), let leases = leases ?? lease.map({ [$0] }), !jobs.isEmpty else { return nil }
        let attempts = attempts ?? Array(repeating: attempt ?? 1, count: jobs.count)
        let places = set ?? Array(repeating: 0, count: jobs.count)
        guard leases.count == jobs.count, attempts.count == jobs.count, places.count == jobs.count else { return nil }
        let shared = common.map { (front: UInt64($0.front), takenAt: $0.takenAt ?? 0, limits: $0.limits.map(\.granted)) }
        var starts: [RecordedStart] = []
        for row in jobs.indices {
            guard let job = UInt64(jobs[row]), let lease = UInt64(leases[row]), shared.indices.contains(places[row]),
                let front = shared[places[row]].front
            else { return nil }
            let limited = LimitedRun(
                lease: LeaseID(lease), front: FrontID(front), limits: shared[places[row]].limits, takenAt: shared[places[row]].takenAt)
            starts.append(
                RecordedStart(run: run, job: JobID(job), attempt: attempts[row], limited: limited, leaseEnd: leaseEnd, since: since))
        }
        return starts
    }
}

extension RawLine.Limit {
    fileprivate var granted: GrantedLimit {
        // A limit has a capacity, a rate, or both.
        var rule: LimitRule? = capacity.map { LimitRule(capacity: $0) }
        if let count, let periodMilliseconds {
            rule = LimitRule(capacity: capacity, refill: LimitRefill(count, per: .milliseconds(periodMilliseconds), burst: burst))
        }
        return GrantedLimit(
            LimitKey(limit, value: value ?? ""), rule, weight: weight ?? 1, ratedFrom: ratedFrom.flatMap { UInt64($0) } ?? 0)
    }
}
