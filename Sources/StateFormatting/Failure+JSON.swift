//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel

extension Failure {
    /// The shape `failure`.
    package var json: JSONValue { Self.shape.json(self) }

    /// Name and value in turns, as pairs; nil: there are none.
    private var pairs: [JSONValue.Member]? {
        guard arguments.count > 1 else { return nil }
        return stride(from: 0, to: arguments.count - 1, by: 2).map { JSONValue.Member(arguments[$0], text: arguments[$0 + 1]) }
    }

    static let shape = JSONShape<Failure>(
        "failure", "Why something failed.",
        [
            .sometimes("id", .id, "By which it can be retried; a refused request has none.") { $0.id == .none ? nil : $0.id },
            .always("code", .text, "The kind of failure, a word of the protocol's table.") { $0.code.rawValue },
            .always("message", .text, "One sentence that names the thing and the next step.") { $0.text },
            .sometimes("arguments", .texts, "Names and values, for a message in another language.") { $0.pairs },
            .always("retryable", .bool, "Whether the same request may succeed later.") { $0.retryable },
            .always("attempts", .count, "How often the work was tried, from 1; 0 for a refused request.") { $0.attempts },
            .sometimes("retryAfterSeconds", .number, "How long a source asked to be left alone.") { $0.retryAfter?.inSeconds },
        ])
}

extension WaitReason {
    /// The shape `waitReason`.
    package var json: JSONValue { Self.shape.json(self) }

    private var loader: String? { if case .noWorker(let loader) = self { loader } else { nil } }

    private var until: WallTime? {
        switch self {
        case .restarting(let until), .delayed(let until), .backedOff(let until), .snoozed(let until): until
        case .paused(let pause): pause.until
        case .noWorker, .slotsTaken, .workersNotReady, .slotsReserved, .keyTaken, .cancelledRunStopping, .suspected, .limitFull,
            .limitTooSmall, .storageFull:
            nil
        }
    }

    private var job: JobID? {
        switch self {
        case .keyTaken(let job), .cancelledRunStopping(let job), .limitFull(_, .reserved(let job)), .slotsReserved(let job): job
        case .noWorker, .slotsTaken, .workersNotReady, .suspected, .restarting, .delayed, .backedOff, .snoozed, .limitFull, .limitTooSmall,
            .paused,
            .storageFull:
            nil
        }
    }

    private var pause: Pause? { if case .paused(let pause) = self { pause } else { nil } }

    private var limit: LimitKey? {
        switch self {
        case .limitFull(let key, _), .limitTooSmall(let key, _): key
        case .noWorker, .slotsTaken, .workersNotReady, .slotsReserved, .keyTaken, .cancelledRunStopping, .suspected, .restarting, .delayed,
            .backedOff,
            .snoozed, .paused, .storageFull:
            nil
        }
    }

    private var inUse: UInt64? { if case .limitFull(_, .permits(let inUse, _)) = self { inUse } else { nil } }

    private var capacity: UInt64? {
        switch self {
        case .limitFull(_, .permits(_, let capacity)), .limitTooSmall(_, let capacity): UInt64(capacity)
        case .noWorker, .slotsTaken, .workersNotReady, .slotsReserved, .keyTaken, .cancelledRunStopping, .suspected, .restarting, .delayed,
            .backedOff,
            .snoozed, .limitFull, .paused, .storageFull:
            nil
        }
    }

    private var nextToken: WallTime? { if case .limitFull(_, .tokens(let next)) = self { next } else { nil } }

    static let shape = JSONShape<WaitReason>(
        "waitReason", "Why a job is not running yet.",
        [
            .always("reason", .word, "The reason.") { $0.word },
            .sometimes("loader", .text, "The loader that no worker offers.") { $0.loader },
            .sometimes("job", .id, "The job that has the key, has reserved what is free of the limit, or has slots reserved for it.") {
                $0.job
            },
            .sometimes(
                "until", .time,
                "How long workers that may still hold it have to come back; when the time of a scheduled job comes; when a pause ends."
            ) { $0.until },
            .sometimes("limit", .shape(LimitKey.shape), "The limit that has no room, with what the job takes of it.") { $0.limit },
            .sometimes(
                "pause", .shape(Pause.shape),
                "The pause of its loader, of all, of a group, or of a worker where none else offers its loader."
            ) {
                $0.pause
            },
            .sometimes("inUse", .count, "How many permits of it are taken, where none is free.") { $0.inUse },
            .sometimes("capacity", .count, "How many it has.") { $0.capacity },
            .sometimes("nextToken", .time, "When its next token comes, where it has none.") { $0.nextToken },
        ])
}
