//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

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
