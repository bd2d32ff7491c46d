//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension WorkerSummary {
    /// The shape `worker`.
    public var json: JSONValue { Self.shape.json(self) }

    /// The shape `worker`.
    public static let shape = JSONShape<WorkerSummary>(
        "worker", "What observers see of a worker.",
        [
            .always("id", .id, "The worker's life.") { $0.id },
            .always("name", .text, "Its label.") { $0.name },
            .always("processID", .count, "Its process id on its machine.") { $0.processID },
            .always(
                "state", .word(of: State.known.map(\.rawValue)), "`overdue`: old work has not ended; `silent`: its lease is running out."
            ) {
                $0.state.rawValue
            },
            .always("slots", .count, "How many jobs it runs at once.") { $0.slots },
            .always("slotsTaken", .count, "How many slots are taken.") { $0.slotsTaken },
            .always("prefetched", .count, "Bulk jobs that it holds beyond its slots.") { $0.prefetched },
            .always("loaders", .list(of: .text), "The loaders it offers.") { $0.loaders },
        ])

    static let list = ShownList<WorkerSummary>.shape("workers", "A list of workers.", of: .shape(shape))
}
