//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension Samples {
    static let workers: [String: Sample] = [
        "worker-register": .worker(WorkerEnvelope(worker: WorkerID(5), messages: [.register(registration)])),
        "worker-reports": registered([
            .renewal(RenewalNumber(12), leases: [1_042, 1_043], readBelow: LeaseID(1_044)),
            .progress([
                WorkerMessage.ProgressReport(job: JobID(42), lease: LeaseID(1_042), progress: JobProgress(completed: 7, unit: "bytes"))
            ]), .cancelStep(LeaseID(1_042), .stopping), .cancelStep(LeaseID(1_043), .delivered),
            .cancelStep(LeaseID(1_043), .timedOut), .cancelStep(LeaseID(1_043), .killed), .cancelStep(LeaseID(1_043), .ending),
            .overdue(jobs: [38, 39]), .draining, .close(takenBelow: LeaseID(1_044)),
            .refusedGrants(
                WorkerMessage.RefusedGrants(leases: [1_044, 1_045], code: .tooLarge, reason: "an item's id is too long")),
            .log([WorkerMessage.LogReport(job: JobID(42), lease: LeaseID(1_042), log: Self.savingLog)]),
        ]),
        "worker-ended": registered([.ended(ended)]),
        "worker-bound-registered": bound([
            .registered(
                WorkerBoundMessage.Registered(
                    registrationNumber: RegistrationNumber(3), lease: .seconds(5), renewal: .seconds(1),
                    decisions: [
                        WorkerBoundMessage.LeaseDecision(lease: LeaseID(1_042), decision: .keep, renewed: LeaseID(2_042)),
                        WorkerBoundMessage.LeaseDecision(lease: LeaseID(1_043), decision: .cancel, renewed: LeaseID(2_043)),
                        WorkerBoundMessage.LeaseDecision(lease: LeaseID(1_044), decision: .drop, renewed: .none),
                    ]))
        ]),
        "worker-bound-orders": bound([
            .reregister, .renewed(RenewalNumber(12), cancels: [1_042, 1_043]), .cancel(leases: [1_042]),
            .acknowledged(reports: [30, 31]), .drain,
            .refused(Refused(reason: "the name is not allowed", code: .notAuthorized)),
        ]),
        "worker-bound-grant": bound([.grant(grant)]),
    ]

    private static func registered(_ messages: [WorkerMessage]) -> Sample {
        .worker(
            WorkerEnvelope(
                worker: WorkerID(5), epoch: Epoch(1_795_254_000), registrationNumber: RegistrationNumber(3), messages: messages))
    }

    private static func bound(_ messages: [WorkerBoundMessage]) -> Sample {
        .workerBound(
            WorkerBoundEnvelope(front: FrontID(7), epoch: Epoch(1_795_254_000), messages: messages, sentBelow: LeaseID(1_044)))
    }

    private static var registration: WorkerMessage.Registration {
        var registration = WorkerMessage.Registration(
            name: "worker-1", processID: 4_712, slots: 4, prefetch: 512,
            loaders: [
                LoaderDeclaration(name: "http", repeatable: .no), LoaderDeclaration(name: "echo", isBulk: true),
                LoaderDeclaration(name: "command", repeatable: .no),
            ])
        registration.held = [WorkerMessage.HeldLease(job: JobID(42), lease: LeaseID(1_042))]
        registration.secret = Array("0123456789abcdef0123456789abcdef".utf8)
        registration.token = Array("secret".utf8)
        registration.process = ProcessIdentity(namespace: "e0f1/4026531836", number: 4_712, start: 987_654)
        return registration
    }

    static var ended: WorkerMessage.Ended {
        var ended = WorkerMessage.Ended(report: 30)
        ended.jobs = [42, 43, 44, 45, 46]
        ended.leases = [1_042, 1_043, 1_044, 1_045, 1_046]
        ended.outcomes = [.succeeded, .failed, .cancelled, .returned, .snoozed]
        ended.results = [Array("ok".utf8), [], [], [], []]
        ended.snoozes = [300_000]
        ended.logs = [Indexed(index: 1, value: Self.log)]
        ended.failures = [Indexed(index: 1, value: askedForPause)]
        var result = FeedResult()
        result.content = list
        result.order = order
        result.itemID = "local-42"
        result.detail = Array("{}".utf8)
        result.detailObject = list
        ended.feedResults = [Indexed(index: 2, value: result)]
        return ended
    }

    static var grant: WorkerBoundMessage.Grant {
        var work = FeedWork(
            key: electronics, operation: .update, settings: Array(#"{"url":"http://127.0.0.1:7711/products"}"#.utf8), acceptedAt: noon)
        work.content = list
        work.source = order
        work.sort = SortOrder(field: "title")
        work.filter = "milk"
        work.itemID = "local-7"
        work.item = Array("{}".utf8)
        work.isPersistent = true
        var grant = WorkerBoundMessage.Grant(registrationNumber: RegistrationNumber(3), renewal: RenewalNumber(12), wall: noon)
        grant.loaders = ["echo", "http"]
        grant.jobs = [42, 43]
        grant.leases = [1_042, 1_043]
        grant.loaderIndexes = [0, 1]
        grant.attempts = [1, 2]
        grant.arguments = [Array("abc".utf8), []]
        grant.feedWork = [Indexed(index: 1, value: work)]
        grant.attemptTimeouts = [30_000, 0]
        grant.deadlines = [0, 3_600_000]
        grant.resumeStates = [Indexed(index: 1, value: Array("page 3".utf8))]
        let rule = LimitRule(capacity: 5, refill: LimitRefill(10, per: .seconds(60), burst: 3))
        grant.limitSets = [
            [GrantedLimit(LimitKey("api", value: "acme"), rule, weight: 2, ratedFrom: 7), GrantedLimit(LimitKey("mail"), nil)]
        ]
        (grant.limitIndexes, grant.takenAt) = ([1, 0], 86_400_000)
        return grant
    }
}
