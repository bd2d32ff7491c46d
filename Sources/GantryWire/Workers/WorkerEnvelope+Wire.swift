//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryPackedColumns
import GantryWireMessages

extension WireWorkerEnvelope: Mapped {
    init(_ value: WorkerEnvelope) {
        self.init()
        worker = value.worker.rawValue
        epoch = value.epoch.rawValue
        registrationNumber = value.registrationNumber.rawValue
        messages = value.messages.map(WireWorkerMessage.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerEnvelope {
        WorkerEnvelope(
            worker: WorkerID(worker), epoch: Epoch(epoch), registrationNumber: RegistrationNumber(registrationNumber),
            messages: try bounds.values(messages, "a worker's messages"))
    }
}

extension WireWorkerMessage: Mapped {
    init(_ value: WorkerMessage) {
        self.init()
        switch value {
        case .register(let registration): register = WireRegistration(registration)
        case .renewal(let number, let leases, let readBelow):
            (renewal.number, renewal.leases, renewal.readBelow) = (number.rawValue, leases, readBelow.rawValue)
        case .progress(let reports): progress.reports = reports.map(WireProgressReport.init)
        case .ended(let ended): self.ended = WireEnded(ended)
        case .cancelStep(let lease, let step): (cancelStep.lease, cancelStep.step) = (lease.rawValue, WireCancelStep(step))
        case .overdue(let jobs): overdue.jobs = jobs
        case .draining: draining = WireNothing()
        case .close(let takenBelow): close.takenBelow = takenBelow.rawValue
        case .refusedGrants(let refused): refusedGrants = WireRefusedGrants(refused)
        case .log(let reports): log.reports = reports.map(WireLogReport.init)
        case .unknown, .unreadable: kind = nil
        }
    }

    /// What the message says; one that breaks a rule spoils nothing beside it, not the renewal above all.
    func value(within bounds: Bounds) -> WorkerMessage {
        do {
            return try strictValue(within: bounds)
        } catch {
            return .unreadable(error)
        }
    }

    private func strictValue(within bounds: Bounds) throws(CodecError) -> WorkerMessage {
        switch kind {
        case .register(let registration): return .register(try registration.value(within: bounds))
        case .renewal(let renewal):
            try bounds.rows(renewal.leases.count, "a renewal's leases")
            return .renewal(RenewalNumber(renewal.number), leases: renewal.leases, readBelow: LeaseID(renewal.readBelow))
        case .progress(let list): return .progress(try bounds.readableValues(list.reports, "progress reports"))
        case .ended(let ended): return .ended(try ended.value(within: bounds))
        case .cancelStep(let report):
            return .cancelStep(LeaseID(report.lease), try bounds.known(report.step, "a step of a cancel"))
        case .overdue(let ids):
            try bounds.rows(ids.jobs.count, "overdue jobs")
            return .overdue(jobs: ids.jobs)
        case .draining: return .draining
        case .close(let close): return .close(takenBelow: LeaseID(close.takenBelow))
        case .refusedGrants(let refused): return .refusedGrants(try refused.value(within: bounds))
        case .log(let list): return .log(try bounds.readableValues(list.reports, "log reports"))
        case nil: return .unknown
        }
    }
}

extension WireRefusedGrants: Mapped {
    init(_ value: WorkerMessage.RefusedGrants) {
        self.init()
        leases = value.leases
        code = value.code.rawValue
        reason = value.reason.cut(to: Bounds.messages.textByteCount)
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerMessage.RefusedGrants {
        try bounds.rows(leases.count, "refused grants")
        return WorkerMessage.RefusedGrants(
            leases: leases, code: bounds.failureCode(code),
            reason: try bounds.text(reason, "a reason"))
    }
}

extension WireLeaseIDs: Mapped {
    init(_ value: [UInt64]) {
        self.init()
        leases = value
    }

    func value(within bounds: Bounds) throws(CodecError) -> [UInt64] {
        try bounds.rows(leases.count, "leases")
        return leases
    }
}

extension WireProgressReport: Mapped {
    init(_ value: WorkerMessage.ProgressReport) {
        self.init()
        job = value.job.rawValue
        lease = value.lease.rawValue
        progress = WireProgress(value.progress)
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerMessage.ProgressReport {
        WorkerMessage.ProgressReport(job: JobID(job), lease: LeaseID(lease), progress: try progress.value(within: bounds))
    }
}

extension WireEnded: Mapped {
    init(_ value: WorkerMessage.Ended) {
        self.init()
        report = value.report
        jobs = value.jobs
        leases = value.leases
        outcomes = Data(value.outcomes.map(\.rawValue))
        lengths = value.results.lengths
        results = Data(value.results.bytes)
        failures = value.failures.map(WireIndexedFailure.init)
        feedResults = value.feedResults.map(WireIndexedFeedResult.init)
        snoozes = value.snoozes
        logs = value.logs.map(WireIndexedLog.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerMessage.Ended {
        try bounds.columns(jobs.count, leases.count, outcomes.count, lengths.count, what: "ended jobs")
        var ended = WorkerMessage.Ended(report: report)
        ended.results = try bounds.packed(lengths, results, "results of ended jobs")
        ended.jobs = jobs
        ended.leases = leases
        ended.outcomes = try bounds.column(outcomes, "the outcome of an ended job")
        ended.failures = try bounds.indexed(failures, below: jobs.count, what: "failures of ended jobs")
        ended.feedResults = try bounds.indexed(feedResults, below: jobs.count, what: "feed results of ended jobs")
        ended.logs = try bounds.indexed(logs, below: jobs.count, what: "logs of ended jobs")
        guard !snoozes.isEmpty || ended.outcomes.contains(.snoozed) else { return ended }
        try bounds.columns(ended.outcomes.count { $0 == .snoozed }, snoozes.count, what: "snoozed jobs")
        ended.snoozes = snoozes
        return ended
    }
}

extension WireRegistration: Mapped {
    init(_ value: WorkerMessage.Registration) {
        self.init()
        minimumVersion = value.minimumVersion
        maximumVersion = value.maximumVersion
        name = value.name
        processID = value.processID
        slots = value.slots
        prefetch = value.prefetch
        loaders = value.loaders.map(WireLoaderDeclaration.init)
        held = value.held.map(WireHeldLease.init)
        secret = Data(value.secret)
        token = Data(value.token)
        processNamespace = value.processNamespace
        processStart = value.processStart
    }

    func value(within bounds: Bounds) throws(CodecError) -> WorkerMessage.Registration {
        var registration = WorkerMessage.Registration(
            name: try bounds.label(name, "a worker's name"), processID: processID, slots: slots, prefetch: prefetch,
            loaders: try bounds.values(loaders, "a worker's loaders"))
        registration.minimumVersion = minimumVersion
        registration.maximumVersion = maximumVersion
        registration.held = try bounds.values(held, "held leases")
        registration.secret = try bounds.secret(secret, "a worker's secret")
        registration.token = try bounds.secret(token, "a token")
        registration.processNamespace = try bounds.label(processNamespace, "a process's namespace")
        registration.processStart = processStart
        return registration
    }
}

extension WireLoaderDeclaration: Mapped {
    init(_ value: LoaderDeclaration) {
        self.init()
        name = value.name
        isBulk = value.isBulk
        repeatable = WireRepeatable(value.repeatable)
    }

    func value(within bounds: Bounds) throws(CodecError) -> LoaderDeclaration {
        // A value that this version does not know may be stricter than those it knows: the strictest of them is safe.
        LoaderDeclaration(
            name: try bounds.label(name, "a loader's name"), isBulk: isBulk,
            repeatable: (try? bounds.known(repeatable, "repeatable")) ?? .no)
    }
}

extension WireHeldLease: Mapped {
    init(_ value: WorkerMessage.HeldLease) {
        self.init()
        job = value.job.rawValue
        lease = value.lease.rawValue
    }

    func value(within bounds: Bounds) -> WorkerMessage.HeldLease {
        WorkerMessage.HeldLease(job: JobID(job), lease: LeaseID(lease))
    }
}
