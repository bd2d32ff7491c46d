//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel

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
