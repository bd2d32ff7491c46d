//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension ItemValue {
    /// The shape and the phrases of an item that is all there is of its topic; nil: it is never that.
    var whole: (json: JSONValue, phrases: [String])? {
        switch self {
        case .front(let summary): (summary.json, summary.phrases)
        case .storage(let summary): (summary.json, summary.phrases)
        case .clients(let summary): (ClientsSummary.shape.json(summary), summary.phrases)
        case .feed, .view, .job, .progress, .counts, .worker, .limit, .pause: nil
        }
    }

    /// The shapes of those items.
    static var wholeShapes: [any NamedSchema] { [FrontSummary.shape, StorageSummary.shape, ClientsSummary.shape, ClientCount.shape] }
}

extension FrontSummary {
    /// The shape `front`.
    package var json: JSONValue { Self.shape.json(self) }

    /// For people.
    var phrases: [String] { ["version \(version)", "durability \(durability)", "storage \(storage)", counted(sessions, "session")] }

    /// The shape `front`.
    package static let shape = JSONShape<FrontSummary>(
        "front", "What observers see of the front.",
        [
            .always("front", .id, "The front.") { $0.front },
            .always("epoch", .count, "Its epoch.") { $0.epoch.rawValue },
            .always("startedAt", .time, "When this epoch began.") { $0.startedAt },
            .always("version", .text, "The version of the program.") { $0.version },
            .always("durability", .word(of: ["full", "memory"]), "Whether accepted jobs survive a power cut.") { $0.durability.rawValue },
            .always("storage", .word(of: ["ok", "full"]), "Whether its disk has room.") { $0.storage.rawValue },
            .always("sessions", .count, "Open sessions.") { $0.sessions },
            .always("malformedMessages", .count, "What could not be read and no reply answers, since the start.") { $0.malformedMessages },
            .always("lateReports", .count, "Reports that came too late or twice, since the start.") { $0.lateReports },
        ])
}

extension StorageSummary {
    /// The shape `storage`.
    package var json: JSONValue { Self.shape.json(self) }

    /// For people.
    var phrases: [String] {
        func bytes(_ count: UInt64?) -> String { count.map { counted($0, "byte") } ?? "not known" }
        return [
            "journal \(bytes(journalByteCount))", "cache \(bytes(cacheByteCount))", "ballast \(bytes(ballastByteCount))",
            "last checkpoint \(lastCheckpoint?.rfc3339 ?? "none since the start")",
        ]
    }

    static let shape = JSONShape<StorageSummary>(
        "storage", "What observers see of what the front has stored; what is not known has no key.",
        [
            .sometimes("journalByteCount", .count, "The files of the journal together.") { $0.journalByteCount },
            .sometimes("cacheByteCount", .count, "The objects in the cache.") { $0.cacheByteCount },
            .sometimes("ballastByteCount", .count, "The file that is removed when the disk is full.") { $0.ballastByteCount },
            .sometimes("lastCheckpoint", .time, "When a checkpoint was completed last in this epoch.") { $0.lastCheckpoint },
        ])
}

extension ClientsSummary {
    /// For people.
    var phrases: [String] {
        let listed = clients.map { "\($0.label.isEmpty ? "without a label" : $0.label) \(counted($0.sessions, "session"))" }
        let others = otherSessions > 0 ? ["\(counted(otherSessions, "session")) of others"] : []
        return clients.isEmpty ? ["nobody is connected"] : listed + others
    }

    static let shape = JSONShape<ClientsSummary>(
        "clients", "Who is connected: open sessions by the label of their client.",
        [
            .always("clients", .list(of: .shape(ClientCount.shape)), "Those with most sessions first, 100 at most.") { $0.clients },
            .always("otherSessions", .count, "Sessions of all other labels together.") { $0.otherSessions },
        ])
}

extension ClientCount {
    static let shape = JSONShape<ClientCount>(
        "clientCount", "How many sessions clients of one label have.",
        [
            .always("label", .text, "The label; empty: none was given.") { $0.label },
            .always("sessions", .count, "Their open sessions.") { $0.sessions },
        ])
}

/// A worker as people and programs see it: what observers see of it, and the pause of its name where that is known.
package struct ListedWorker: Sendable {
    /// The worker.
    package let worker: WorkerSummary
    /// What keeps it from getting jobs; nil: nothing, or it is not asked for here.
    package let pause: Pause?

    /// All workers, each with its pause.
    package static func all(_ workers: [WorkerSummary], paused pauses: [Pause]) -> [ListedWorker] {
        workers.map { worker in ListedWorker(worker: worker, pause: pauses.first { $0.target == .worker(worker.name) }) }
    }

    /// The shape `worker`.
    package var json: JSONValue { Self.shape.json(self) }

    /// The shape `worker`.
    package static let shape = JSONShape<ListedWorker>(
        "worker", "What observers see of a worker.",
        [
            .always("id", .id, "The worker process.") { $0.worker.id },
            .always("name", .text, "Its label.") { $0.worker.name },
            .always("processID", .count, "Its process id on its machine; 0: it has named none.") { $0.worker.processID },
            .always(
                "state", .word(of: WorkerSummary.State.known.map(\.rawValue)),
                "`overdue`: old work has not ended; `silent`: its lease is running out."
            ) {
                $0.worker.state.rawValue
            },
            .always("slots", .count, "How many jobs it runs at once.") { $0.worker.slots },
            .always("slotsTaken", .count, "How many slots are taken.") { $0.worker.slotsTaken },
            .always("prefetched", .count, "Bulk jobs that it holds beyond its slots.") { $0.worker.prefetched },
            .always("loaders", .list(of: .text), "The loaders it offers.") { $0.worker.loaders },
            .sometimes("pause", .shape(Pause.shape), "What keeps it from getting jobs; the topic `workers` leaves it to `pauses`.") {
                $0.pause
            },
        ])

    static let list = ShownList<ListedWorker>.shape("workers", "A list of workers.", of: .shape(shape))
}

extension WorkerSummary {
    /// The shape `worker`, without its pause.
    package var json: JSONValue { ListedWorker(worker: self, pause: nil).json }

    /// Jobs that it holds, in slots and ahead: each has a lease.
    package var heldCount: UInt64 { UInt64(slotsTaken) + UInt64(prefetched) }

    /// Its process id for people: a worker need not name one.
    package var processText: String { processID == 0 ? "-" : String(processID) }

    /// For people.
    var line: String {
        "\(state.rawValue), \(slotsTaken) of \(counted(slots, "slot")) taken, \(counted(prefetched, "bulk job")) ahead, "
            + counted(heldCount, "lease")
    }
}

/// A worker, with the jobs that it holds.
package struct ShownWorker: Sendable {
    let worker: WorkerSummary
    let jobs: [JobSummary]
    let pause: Pause?

    /// A worker that holds these jobs, and the pause of its name.
    package init(worker: WorkerSummary, jobs: [JobSummary], pause: Pause? = nil) {
        (self.worker, self.jobs, self.pause) = (worker, jobs, pause)
    }

    /// The shape `workerDetail`.
    package var json: JSONValue { Self.shape.json(self) }

    /// For people: a line for the worker, some for what it is, one for each job.
    package var text: String {
        let loaders = worker.loaders.isEmpty ? "none" : worker.loaders.joined(separator: " ")
        let head = [
            "\(worker.name): \(worker.line)", "  id       \(worker.id)", "  process  \(worker.processText)", "  loaders  \(loaders)",
        ]
        let paused = pause.map { ["  pause    \($0.line)"] } ?? []
        return (head + paused + jobs.map { "  job      \($0.id): \($0.line())" }).joined(separator: "\n")
    }

    static let shape = JSONShape<ShownWorker>(
        "workerDetail", "A worker, with the jobs that it holds.",
        [
            .always("worker", .shape(ListedWorker.shape), "The worker.") { ListedWorker(worker: $0.worker, pause: $0.pause) },
            .always("leases", .count, "How many leases it holds: one for each job in a slot or ahead.") { $0.worker.heldCount },
            .sometimes("pause", .shape(Pause.shape), "What keeps it from getting jobs.") { $0.pause },
            .always("jobs", .list(of: .shape(ShownJob.shape)), "The jobs that it runs or has ahead, newest first.") {
                $0.jobs.map { ShownJob(job: $0) }
            },
        ])
}

/// A loader as people and programs see it: who offers it, and whether it is paused.
package struct ShownLoader: Hashable, Sendable {
    /// Whether its jobs are granted.
    package enum State: String, CaseIterable, Sendable {
        case offered, unoffered, paused
    }

    /// Its name.
    package let name: String
    /// Workers that offer it.
    package let workers: UInt64
    /// Their slots.
    package let slots: UInt64
    /// Its pause, or that of all loaders or of a group that it is in.
    package let pause: Pause?

    /// All loaders that workers offer, that waiting jobs name, or that are paused, by name.
    package static func all(offeredBy workers: [WorkerSummary], paused pauses: [Pause], waiting counts: JobCounts?) -> [ShownLoader] {
        let offering = workers.filter { $0.state != .silent }
        let paused = pauses.flatMap { [$0.target.loader] + $0.loaders }
        let names = Set(offering.flatMap(\.loaders)).union(paused).union(counts?.unoffered.map(\.loader) ?? [])
        let ofAll = pauses.first { $0.target == .everything }
        return names.filter { !$0.isEmpty }.sorted().map { name in
            let those = offering.filter { $0.loaders.contains(name) }
            return ShownLoader(
                name: name, workers: UInt64(those.count), slots: those.reduce(0) { $0 + UInt64($1.slots) },
                pause: ofAll ?? pauses.first { $0.target == .loader(name) } ?? pauses.first { $0.loaders.contains(name) })
        }
    }

    /// Whether its jobs are granted.
    package var state: State { pause != nil ? .paused : workers == 0 ? .unoffered : .offered }

    /// The shape `loader`.
    package var json: JSONValue { Self.shape.json(self) }

    static let shape = JSONShape<ShownLoader>(
        "loader", "A loader that a worker offers, that is paused, or that jobs wait for.",
        [
            .always("name", .text, "Its name.") { $0.name },
            .always("state", .word, "Whether its jobs are granted.") { $0.state },
            .always("workers", .count, "Workers that offer it.") { $0.workers },
            .always("slots", .count, "Their slots.") { $0.slots },
            .sometimes("pause", .shape(Pause.shape), "Its pause, or that of all loaders or of a group that it is in.") { $0.pause },
        ])

    static let list = ShownList<ShownLoader>.shape("loaders", "A list of loaders.", of: .shape(shape))

    /// For people, in one line.
    package var text: String {
        let offered = workers == 0 ? "no worker offers it" : "\(counted(workers, "worker")) with \(counted(slots, "slot"))"
        return ([name + ": " + offered] + (pause.map { [$0.line] } ?? [])).joined(separator: "; ")
    }
}

extension Pause {
    /// The shape `pause`.
    package var json: JSONValue { Self.shape.json(self) }

    package static let shape = JSONShape<Pause>(
        "pause", "A pause: no job of the loader or the group is granted while it lasts, or none to the worker.",
        [
            .sometimes("loader", .text, "The loader; none: all of them, unless it is of a group or a worker.") {
                $0.target.loader.isEmpty ? nil : $0.target.loader
            },
            .sometimes("group", .text, "The group.") { $0.target.group.isEmpty ? nil : $0.target.group },
            .sometimes("loaders", .list(of: .text), "The loaders of the group; left out where it is the reason of a wait.") {
                $0.loaders.isEmpty ? nil : $0.loaders
            },
            .sometimes("feeds", .list(of: .text), "The feeds of the group; left out where it is the reason of a wait.") {
                $0.feeds.isEmpty ? nil : $0.feeds
            },
            .sometimes("worker", .text, "The name of the workers that get no jobs.") { $0.target.worker.isEmpty ? nil : $0.target.worker },
            .sometimes("by", .text, "The label of the client that asked for it.") { $0.by.isEmpty ? nil : $0.by },
            .sometimes("reason", .text, "Why, in the words of who asked.") { $0.reason.isEmpty ? nil : $0.reason },
            .always("since", .time, "Since when.") { $0.since },
            .sometimes("until", .time, "When it ends by itself; none: when somebody ends it.") { $0.until },
        ])

    static let list = ShownList<Pause>.shape("pauses", "A list of pauses.", of: .shape(shape))
}
