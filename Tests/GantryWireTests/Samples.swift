//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The values that the files of `Protocol/golden` say, by name.
enum Samples {
    static let all: [String: Sample] = clients.merging(front, uniquingKeysWith: { one, _ in one })
        .merging(items, uniquingKeysWith: { one, _ in one }).merging(workers, uniquingKeysWith: { one, _ in one })
        .merging(entries, uniquingKeysWith: { one, _ in one })

    static let electronics = key("products", "category", "electronics")
    static let unsorted = key("products", [("a", "1"), ("b", "2")])
    static let languages = key("languages")
    static let todos = key("todos")
    static let noon = WallTime(milliseconds: 1_795_254_000_000)
    static let failure = Failure(
        id: FailureID(77), code: .httpStatus, text: "the origin answered 503: retry later", arguments: ["status", "503"], retryable: true,
        attempts: 3)
    static let askedForPause = {
        var asked = failure
        asked.retryAfter = .milliseconds(1_500)
        return asked
    }()
    static let list = ObjectReference(digest: digest("0123456789abcdef0123456789abcdef"), byteCount: 1_234, itemCount: 6)
    static let order = ObjectReference(digest: digest("fedcba9876543210fedcba9876543210"), byteCount: 48, itemCount: 5)

    static func digest(_ text: String) -> ObjectDigest {
        ObjectDigest(bytes: text.utf8) ?? ObjectDigest(words: (0, 0, 0, 0))
    }

    static func key(_ name: String, _ parameter: String, _ value: String) -> FeedKey { key(name, [(parameter, value)]) }

    static func key(_ name: String, _ parameters: [(String, String)] = []) -> FeedKey {
        guard let key = FeedKey(name: name, parameters: parameters.map { FeedKey.Parameter(name: $0.0, value: $0.1) }) else {
            preconditionFailure("\(name) is no name of a feed")
        }
        return key
    }

    static var content: FeedContent {
        FeedContent(
            object: list, version: ContentVersion(5), source: .network, storedAt: noon, isPersistent: true)
    }

    static var view: ViewState {
        var view = ViewState(name: "shared")
        view.version = 4
        view.sort = SortOrder(field: "title")
        view.filter = "milk"
        view.selection = "local-7"
        view.detail = .failed(failure)
        view.revision = ViewRevision(
            content: list, order: order, version: ContentVersion(5), sort: SortOrder(field: "title", ascending: false), filter: "milk")
        view.sorting = JobID(42)
        view.failure = failure
        return view
    }

    static var job: JobSummary {
        var job = JobSummary(id: JobID(42), loader: "http", state: .failed, acceptedAt: noon)
        job.feed = electronics
        job.operation = .merge
        job.askedBy = "cli 4711 on host"
        job.options = JobOptions(priority: 9, tags: ["nightly"])
        job.startedAt = noon.advanced(by: .milliseconds(1_000))
        job.endedAt = noon.advanced(by: .milliseconds(2_000))
        job.attempts = 2
        (job.snoozeCount, job.endsBy) = (4, noon.advanced(by: .milliseconds(5_000)))
        (job.crashCount, job.repeatedBy) = (1, JobID(50))
        job.dueAt = noon.advanced(by: .milliseconds(4_000))
        job.waitReason = .restarting(until: noon.advanced(by: .milliseconds(3_000)))
        job.worker = "worker-1"
        var receipt = CancelReceipt(requestedBy: "cli", requestedAt: WallTime(milliseconds: 1))
        receipt.deliveredAt = WallTime(milliseconds: 2)
        receipt.stoppingAt = WallTime(milliseconds: 3)
        receipt.stoppedAt = WallTime(milliseconds: 4)
        (receipt.killedAt, receipt.endingAt) = (WallTime(milliseconds: 5), WallTime(milliseconds: 6))
        job.cancel = receipt
        job.failure = failure
        job.result = [0, 255]
        return job
    }

    static var smallJob: JobSummary { JobSummary(id: JobID(41), loader: "echo", state: .waiting, acceptedAt: noon) }
}
