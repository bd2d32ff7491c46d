//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

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
            try bounds.rows(ids.reports.count, "settled reports")
            return .acknowledged(reports: ids.reports)
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
        // Work under a verdict that this version does not know is dropped: nobody may report on a lease whose fate is unclear.
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
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerBoundMessage.Grant {
        try bounds.columns(jobs.count, leases.count, loaderIndexes.count, attempts.count, lengths.count, what: "granted jobs")
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
        grant.feedWork = try bounds.indexed(feedWork, below: jobs.count, what: "feed work of granted jobs")
        return grant
    }
}
