//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is being done, with how far it is.
struct ShownActivity: Sendable {
    private enum State: String, CaseIterable { case idle, waiting, loading }

    let activity: Activity
    let progress: Progress?

    private var state: State {
        switch activity {
        case .idle: .idle
        case .waiting: .waiting
        case .loading: .loading
        }
    }

    private var waitReason: WaitReason? { if case .waiting(_, let reason) = activity { reason } else { nil } }

    private var run: (cause: LoadCause, attempt: UInt32)? {
        if case .loading(_, let cause, let attempt) = activity { (cause, attempt) } else { nil }
    }

    static let shape = JSONShape<ShownActivity>(
        "activity", "What is being done to a feed.",
        [
            .always("state", .word, "Whether a job waits or runs.") { $0.state },
            .sometimes("job", .id, "That job.") { $0.activity.job },
            .sometimes("waitReason", .shape(WaitReason.shape), "Why it waits.") { $0.waitReason },
            .sometimes("cause", .word(LoadCause.allCases) { $0.name }, "Why it was started.") { $0.run?.cause },
            .sometimes("attempt", .count, "How often it was granted.") { $0.run?.attempt },
            .sometimes("progress", .shape(Progress.shape), "How far it is.") { $0.run == nil ? nil : $0.progress },
        ])
}
