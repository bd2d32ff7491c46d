//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns

extension Samples {
    static let front: [String: Sample] = [
        "front-welcome": envelope([
            .welcome(welcome), .sessionEnded, .refused(Refused(reason: "this front speaks version 1: use an older client")),
            .refused(
                Refused(
                    reason: "the loader's name is missing", code: .invalidData, number: RequestNumber(12), retryAfter: .milliseconds(250))),
            .heartbeat(
                FrontMessage.HeartbeatAnswer(lowestUnanswered: RequestNumber(12), isStorageFull: true, undurable: .milliseconds(3_500))),
            .resumeFirst, .snapshotRefused(asked: "feed/products", failure, retryAfter: .milliseconds(250)),
        ]),
        "front-replies": envelope(
            replies.enumerated().map {
                .reply(number: RequestNumber(UInt64($0.offset + 1)), $0.element, feed: $0.offset == 0 ? electronics : nil)
            }),
        "front-answers": envelope([.answers(answers)]),
        "front-snapshot": envelope([
            .snapshot(
                FrontMessage.SnapshotPart(
                    topic: .jobs, sequence: SequenceNumber(8), checksum: checksum, part: 1, partCount: 2,
                    items: [
                        TopicItem(key: Array("counts".utf8), value: [8, 1]), TopicItem(key: Array("job/42".utf8), value: []),
                    ])),
            .snapshot(
                FrontMessage.SnapshotPart(
                    topic: .feed(electronics), asked: "feed/products", sequence: SequenceNumber(9), checksum: TopicChecksum(), part: 0,
                    partCount: 1, items: [])),
        ]),
        "publication-change": .publication(
            .change(
                Publication.Change(
                    bookmark: bookmark, puts: [TopicItem(key: Array("counts".utf8), value: [8, 1])],
                    removes: [Array("progress".utf8), Array("job/42".utf8)]))),
        "publication-bookmark": .publication(.bookmark(bookmark)),
    ]

    private static let checksum = TopicChecksum(0x1234_5678_9ABC_DEF0)
    private static let bookmark = Publication.Bookmark(
        front: FrontID(7), epoch: Epoch(1_795_254_000), sequence: SequenceNumber(9), checksum: checksum)

    private static func envelope(_ messages: [FrontMessage]) -> Sample {
        .front(FrontEnvelope(front: FrontID(7), epoch: Epoch(1_795_254_000), session: SessionID(9), messages: messages))
    }

    private static var welcome: FrontMessage.Welcome {
        var welcome = FrontMessage.Welcome(session: SessionID(9), isResumed: true)
        welcome.changesEndpoint = "tcp://127.0.0.1:7702"
        welcome.pagesEndpoint = "tcp://127.0.0.1:7704"
        return welcome
    }

    private static var retention: JobRetention {
        var retention = JobRetention()
        retention[.succeeded] = JobRetention.Rule(age: .seconds(60), count: 10)
        retention[.cancelled] = JobRetention.Rule(age: .seconds(120), count: 20)
        return retention
    }

    private static var replies: [Reply] {
        var explained = smallJob
        explained.waitReason = .slotsTaken
        var explanation = JobExplanation(
            job: explained, placeInLine: 12, estimate: .milliseconds(750), timeline: ["accepted", "waits for a slot"])
        (explanation.argument, explanation.argumentByteCount) = (Array("abc".utf8), 3)
        var run = JobExplanation(job: smallJob, timeline: ["accepted"])
        (run.runs, run.log) = (JobRuns([Self.run(.failed, failure)], omitted: 3), Self.log)
        return [
            .accepted(JobID(42), joined: true), .jobsAccepted(first: JobID(43), count: 500), .done(version: 5), .done(version: 0),
            .cancelling(JobID(42)), .alreadyEnded(JobID(42), .succeeded), .refused(failure, retryAfter: .milliseconds(250)),
            .jobs([job, smallJob], next: JobID(41)),
            .explanation(explanation),
            .feeds([FeedState(key: todos, isEditable: true)], next: todos), .jobsAccepted(first: JobID(43), count: 500, dueNow: 2),
            .jobsAccepted(first: JobID(17), count: 1, .joined), .jobsAccepted(first: JobID(17), count: 1, dueNow: 1, .replaced),
            .selected(bulk: 3, jobs: 0, next: nil), .selected(bulk: 0, jobs: 200_000, next: JobID(41)),
            .explanation(run), .jobs([], next: nil, retention: Self.retention),
        ]
    }

    static var answers: FrontMessage.Answers {
        var answers = FrontMessage.Answers()
        answers.jobs = [42, 43, 44]
        answers.states = [.succeeded, .failed, .cancelled]
        answers.results = [Array("ok".utf8), [], Array("x".utf8)]
        answers.unknown = [40, 41]
        return answers
    }
}
