//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import GantryWireMessages

extension WireWorkerBoundEnvelope: Mapped {
    init(_ value: WorkerBoundEnvelope) {
        self.init()
        front = value.front.rawValue
        epoch = value.epoch.rawValue
        messages = value.messages.map(WireWorkerBoundMessage.init)
        sentBelow = value.sentBelow.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerBoundEnvelope {
        try bounds.rows(messages.count, "messages to a worker")
        return WorkerBoundEnvelope(
            front: FrontID(front), epoch: Epoch(epoch), messages: messages.flatMap { $0.values(within: bounds) },
            sentBelow: LeaseID(sentBelow))
    }
}

extension WireWorkerBoundMessage {
    init(_ value: WorkerBoundMessage) {
        self.init()
        switch value {
        case .registered(let registered): self.registered = WireRegistered(registered)
        case .reregister: reregister = WireNothing()
        case .renewed(let number, let cancels): (renewed.number, renewed.cancels) = (number.rawValue, cancels)
        case .grant(let grant): self.grant = WireGrant(grant)
        case .cancel(let leases): cancel = WireLeaseIDs(leases)
        case .acknowledged(let reports): acknowledged.reports = reports
        case .drain: drain = WireNothing()
        case .refused(let refused): self.refused = WireRefused(refused)
        case .unknown, .unreadable: kind = nil
        }
    }

    /// What the message says. One that breaks a rule spoils nothing beside it; of a grant, only the jobs that break one are left out.
    fileprivate func values(within bounds: Bounds) -> [WorkerBoundMessage] {
        do {
            return [try value(within: bounds)]
        } catch {
            guard case .grant(let grant) = kind else { return [.unreadable(error, leases: [])] }
            let (readable, refused) = grant.split(within: bounds)
            guard let readable = readable.flatMap({ try? $0.value(within: bounds) }) else {
                return [.unreadable(error, leases: grant.leases)]
            }
            return [.unreadable(error, leases: refused), .grant(readable)]
        }
    }

    private func value(within bounds: Bounds) throws(CodecError) -> WorkerBoundMessage {
        switch kind {
        case .registered(let registered): return .registered(try registered.value(within: bounds))
        case .reregister: return .reregister
        case .renewed(let renewed):
            try bounds.rows(renewed.cancels.count, "cancelled leases")
            return .renewed(RenewalNumber(renewed.number), cancels: renewed.cancels)
        case .grant(let grant): return .grant(try grant.value(within: bounds))
        case .cancel(let ids): return .cancel(leases: try ids.value(within: bounds))
        case .acknowledged(let ids):
            try bounds.rows(ids.reports.count, "acknowledged reports")
            return .acknowledged(reports: ids.reports)
        case .drain: return .drain
        case .refused(let refused): return .refused(try refused.value(within: bounds))
        case nil: return .unknown
        }
    }
}

extension WireRegistered: Mapped {
    init(_ value: WorkerBoundMessage.Registered) {
        self.init()
        registrationNumber = value.registrationNumber.rawValue
        leaseMilliseconds = value.lease.wireMilliseconds
        renewalMilliseconds = value.renewal.wireMilliseconds
        decisions = value.decisions.map(WireLeaseDecision.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerBoundMessage.Registered {
        WorkerBoundMessage.Registered(
            registrationNumber: RegistrationNumber(registrationNumber), lease: .milliseconds(leaseMilliseconds),
            renewal: .milliseconds(renewalMilliseconds),
            decisions: try bounds.values(decisions, "decisions on held leases"))
    }
}

extension WireLeaseDecision: Mapped {
    init(_ value: WorkerBoundMessage.LeaseDecision) {
        self.init()
        lease = value.lease.rawValue
        decision = WireDecision(value.decision)
        renewed = value.renewed.rawValue
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerBoundMessage.LeaseDecision {
        // Work under a decision that this version does not know is dropped: nobody may report on a lease whose fate is unclear.
        WorkerBoundMessage.LeaseDecision(
            lease: LeaseID(lease), decision: (try? bounds.known(decision, "a decision on a held lease")) ?? .drop, renewed: LeaseID(renewed)
        )
    }
}

extension WireGrant: Mapped {
    init(_ value: WorkerBoundMessage.Grant) {
        self.init()
        registrationNumber = value.registrationNumber.rawValue
        renewal = value.renewal.rawValue
        wall = value.wall.milliseconds
        loaders = value.loaders
        jobs = value.jobs
        leases = value.leases
        loaderIndexes = value.loaderIndexes
        attempts = value.attempts
        lengths = value.arguments.lengths
        arguments = Data(value.arguments.bytes)
        feedWork = value.feedWork.map(WireIndexedFeedWork.init)
        (attemptTimeouts, deadlines) = (value.attemptTimeouts, value.deadlines)
        resumeStates = value.resumeStates.map(WireIndexedState.init)
        limits = value.limitSets.map(WireGrantedLimits.init)
        (limitIndexes, takenAt) = (value.limitIndexes, value.takenAt)
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerBoundMessage.Grant {
        try bounds.columns(jobs.count, leases.count, loaderIndexes.count, attempts.count, lengths.count, what: "granted jobs")
        for times in [attemptTimeouts, deadlines] where !times.isEmpty { try bounds.columns(jobs.count, times.count, what: "granted jobs") }
        try bounds.columns(jobs.count, limitIndexes.isEmpty ? jobs.count : limitIndexes.count, what: "granted jobs")
        try bounds.indexes(limitIndexes, below: limits.count + 1, what: "limits of granted jobs")
        let packed = try bounds.packed(lengths, arguments, "arguments of granted jobs")
        try bounds.indexes(loaderIndexes, below: loaders.count, what: "loaders of granted jobs")
        var grant = WorkerBoundMessage.Grant(
            registrationNumber: RegistrationNumber(registrationNumber), renewal: RenewalNumber(renewal), wall: WallTime(milliseconds: wall))
        grant.loaders = try bounds.labels(loaders, "loaders of granted jobs")
        grant.jobs = jobs
        grant.leases = leases
        grant.loaderIndexes = loaderIndexes
        grant.attempts = attempts
        grant.arguments = packed
        (grant.attemptTimeouts, grant.deadlines) = (attemptTimeouts, deadlines)
        grant.limitSets = try bounds.values(limits, "limits of granted jobs")
        (grant.limitIndexes, grant.takenAt) = (limitIndexes, takenAt)
        grant.feedWork = try bounds.indexed(feedWork, below: jobs.count, what: "feed work of granted jobs")
        grant.resumeStates = try bounds.indexed(resumeStates, below: jobs.count, what: "saved states of granted jobs")
        return grant
    }
}

extension WireGrant {
    /// The grant without the jobs whose rows break a rule, and the leases of those; nil: its columns do not fit together at all.
    ///
    /// One feed job that a worker cannot read must not take the thousands with it that were granted in the same frame.
    func split(within bounds: Bounds) -> (readable: WireGrant?, refused: [UInt64]) {
        let count = jobs.count
        let times = [attemptTimeouts.count, deadlines.count, limitIndexes.count].filter { $0 > 0 }
        guard ([leases.count, loaderIndexes.count, attempts.count, lengths.count] + times).allSatisfy({ $0 == count }),
            let packed = PackedBytes(lengths: lengths, bytes: [UInt8](arguments))
        else { return (nil, leases) }
        var isRefused = lengths.map { Int($0) > bounds.payloadByteCount }
        for (row, loader) in loaderIndexes.enumerated() {
            let isNamed = Int(loader) < loaders.count && loaders[Int(loader)].utf8.count <= bounds.labelByteCount
            if !isNamed { isRefused[row] = true }
        }
        let isReadable = limits.map { set in (try? set.value(within: bounds)) != nil }
        for (row, index) in limitIndexes.enumerated() where index > 0 {
            if Int(index) > limits.count || !isReadable[Int(index) - 1] { isRefused[row] = true }
        }
        for entry in feedWork where Int(entry.index) < count {
            do { _ = try entry.value(within: bounds) } catch { isRefused[Int(entry.index)] = true }
        }
        for entry in resumeStates where Int(entry.index) < count {
            do { _ = try entry.value(within: bounds) } catch { isRefused[Int(entry.index)] = true }
        }
        var readable = self
        readable.loaders = loaders.map { $0.cut(to: bounds.labelByteCount) }
        readable.limits = zip(limits, isReadable).map { $1 ? $0 : WireGrantedLimits() }
        readable.clearRows()
        var places = [UInt32?](repeating: nil, count: count)
        for (row, argument) in packed.enumerated() where !isRefused[row] {
            places[row] = UInt32(readable.jobs.count)
            readable.append(row, of: self, argument)
        }
        for entry in feedWork {
            guard Int(entry.index) < count, let place = places[Int(entry.index)] else { continue }
            var moved = entry
            moved.index = place
            readable.feedWork.append(moved)
        }
        for entry in resumeStates {
            guard Int(entry.index) < count, let place = places[Int(entry.index)] else { continue }
            var moved = entry
            moved.index = place
            readable.resumeStates.append(moved)
        }
        return (readable, leases.indices.filter { isRefused[$0] }.map { leases[$0] })
    }

    private mutating func clearRows() {
        (jobs, leases, loaderIndexes, attempts, lengths, arguments, feedWork) = ([], [], [], [], [], Data(), [])
        (attemptTimeouts, deadlines, limitIndexes, resumeStates) = ([], [], [], [])
    }

    private mutating func append(_ row: Int, of other: WireGrant, _ argument: ArraySlice<UInt8>) {
        jobs.append(other.jobs[row])
        leases.append(other.leases[row])
        loaderIndexes.append(other.loaderIndexes[row])
        attempts.append(other.attempts[row])
        lengths.append(other.lengths[row])
        arguments.append(contentsOf: argument)
        if !other.attemptTimeouts.isEmpty { attemptTimeouts.append(other.attemptTimeouts[row]) }
        if !other.deadlines.isEmpty { deadlines.append(other.deadlines[row]) }
        if !other.limitIndexes.isEmpty { limitIndexes.append(other.limitIndexes[row]) }
    }
}
