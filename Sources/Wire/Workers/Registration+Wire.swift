//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

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
