//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPackedColumns
import GantryWire
import TestSupport
import Testing

@testable import FrontCore

/// What a front writes down it reads again, whatever numbers others choose.
@Suite("Numbers that others choose")
struct ChosenNumberTests {
    /// Numbers of fields in the protocol, by message.
    private struct FieldNames {
        private var fields: [Substring: [Int: (name: Substring, type: Substring)]] = [:]

        init() throws {
            for file in ["gantry", "journal"] {
                let text = try CheckoutFolder.text("Protocol/\(file).proto")
                var message: Substring = ""
                for line in text.split(separator: "\n") {
                    let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.drop { ["repeated", "optional"].contains($0) }
                    if line.hasPrefix("message ") { message = words[1] }
                    guard line.hasPrefix("  "), line.contains(" = "), words.count > 2,
                        let number = words.dropFirst(2).first.flatMap({ Int($0) })
                    else { continue }
                    fields[message, default: [:]][number] = (words[words.startIndex + 1], words[words.startIndex])
                }
            }
        }

        /// The number of 64 bits in a row to which these fields lead, as its message and field; nil: they lead to none.
        func number(at path: [Int]) -> String? {
            var message: Substring = "JournalEntries"
            for step in path.dropLast() {
                guard let type = fields[message]?[step]?.type else { return nil }
                message = type
            }
            guard let last = path.last, let field = fields[message]?[last] else { return nil }
            return ["fixed64", "uint64", "int64", "sfixed64"].contains(field.type) ? "\(message).\(field.name)" : nil
        }
    }

    @Test("these numbers of a row may be anything, and no others: a front that wrote one of them could not start again")
    func fields() throws {
        let names = try FieldNames()
        var registration = WorkerMessage.Registration(name: "w", processID: 1, slots: 1, prefetch: 0, loaders: [])
        registration.process = ProcessIdentity(namespace: "a/1", number: 1, start: 1)
        var submitted = JournalEntry.AcceptedJobs(
            first: JobID(1), acceptedAt: WallTime(milliseconds: 1), rankTime: 1, submitter: .session(SessionID(1)), loader: "a",
            options: JobOptionsColumn(JobOptions(retryOf: JobID(1))), arguments: [[1]])
        var replaced = JournalEntry.JobReplaced(JobID(1), JobOptions(), argument: [1], rank: 1, due: nil, lengthTime: 1)
        (submitted.fingerprint, replaced.fingerprint) = (1, 1)
        let more: [JournalEntry] = [
            .jobReplaced(replaced),
            .workerRegistered(JournalEntry.WorkerRegistered(WorkerID(1), RegistrationNumber(1), registration)), .jobsAccepted(submitted),
        ]
        var (taken, refused): (Set<String>, Set<String>) = ([], [])
        for entry in EntrySizeTests.golden + more {
            for variant in RowNumbers.variants(of: WireCodec().encode([entry]), [.max, UInt64(Int64.max)]) {
                guard let name = names.number(at: variant.path) else { continue }
                do throws(CodecError) {
                    _ = try WireCodec().decodeEntries(variant.bytes)
                    taken.insert(name)
                } catch {
                    // Of columns, other bytes may be none at all.
                    if error.reason.contains("beyond \(JournalBounds.number)") { refused.insert(name) }
                }
            }
        }
        let chosen: Set = [
            "SessionOpened.session", "SessionOpened.nonce", "SessionEnded.session", "ReplyRetained.session", "ReplyRetained.fingerprint",
            "ReplyRetained.lowest_unanswered", "Reply.number", "Submitter.session", "StoredJobs.sessions", "StoredJobs.workers",
            "GrantedJobs.worker",
            "LostWorker.worker", "WorkerRegistered.worker", "WorkerLost.worker", "Registration.process_start", "ObjectReference.byte_count",
            "ObjectReference.item_count", "TakenKey.fingerprint", "AcceptedJobs.fingerprint", "JobReplaced.fingerprint",
            "JobOptions.retry_of", "Failure.retry_after_milliseconds",
        ]
        #expect(taken.subtracting(refused) == chosen)
        #expect(refused.count > 40)
    }

    @Test("which job a client calls repeated, and how long a source wants to be left alone, are read again")
    func readAgain() {
        var (front, worker, job) = FrontHarness.running()
        #expect(front.submit(1, JobOptionsColumn(JobOptions(retryOf: JobID(.max)))) != .none)
        let failure = Failure(code: .unreachable, text: "no", retryable: true, retryAfter: .milliseconds(Int64.max))
        worker.end(job.rawValue, .failed, failure: failure, in: &front)
        #expect(front.job(job)?.state == .scheduled)
        for entry in front.entries {
            do throws(CodecError) { _ = try WireCodec().decodeEntries(WireCodec().encode([entry])) } catch { Issue.record("\(error)") }
        }
    }

    /// Who brings a number, and where.
    enum Source: CaseIterable {
        case requests, questions, registration, reports, contents, lateClock, earlyClock
    }

    private static func bring(_ source: Source, to world: inout FeedWorld) throws {
        let todos = try FeedWorld.key("todos")
        switch source {
        case .requests:
            var hello = ClientMessage.Hello(label: "far")
            hello.nonce = .max
            let welcomed = world.front.handle(
                .clientSent(world.front.client, Principal.everything, ClientEnvelope(messages: [.hello(hello)])))
            for case .send(_, let session, .welcome) in welcomed { world.front.session = session }
            for number in [UInt64(1) << 53, .max - 1, .max] {
                _ = world.front.send(
                    .request(.init(number: RequestNumber(number), lowestUnanswered: RequestNumber(number), body: .feed(todos, .load))))
            }
        case .questions:
            let jobs: [JobRequest] = [
                .cancel(JobID(.max)), .reprioritize(JobID(.max), priority: 9), .explain(JobID(.max)), .forgive(JobID(.max)),
                .outcomes([JobID(.max)]),
            ]
            for request in jobs { _ = world.front.ask(.job(request)) }
            _ = world.front.ask(.drainWorker(WorkerID(.max)))
            let feeds: [FeedRequest] = [
                .retry(view: "", failure: FailureID(.max)), .reset(version: ContentVersion(.max)), .cancelLoad(only: JobID(.max)),
                .sort(view: "shared", order: nil, version: .max), .select(view: "shared", itemID: "a", version: .max),
            ]
            for request in feeds { _ = world.front.ask(.feed(todos, request)) }
        case .registration:
            var worker = WorkerHarness(.max - 1_000)
            worker.process = ProcessIdentity(namespace: "a/1", number: .max, start: .max)
            worker.seen = worker.process
            worker.held = [(.max, .max, nil)]
            worker.register(with: &world.front)
            worker.held = []
            #expect(worker.registrationNumber != .none)
            _ = worker.renew(&world.front)
        case .reports:
            let job = world.front.run(1, loader: "slow", on: &world.worker)
            (world.worker.renewal, world.worker.report) = (.max - 1, .max - 1)
            world.worker.held.append((.max, .max, nil))
            _ = world.worker.renew(&world.front)
            _ = world.worker.send(.refusedGrants(.init(leases: [.max], code: .busy, reason: "")), to: &world.front)
            let held = try #require(world.worker.held.first)
            let progress = JobProgress(completed: .max, total: .max)
            _ = world.worker.send(
                .progress([.init(job: JobID(held.job), lease: LeaseID(held.lease), progress: progress)]), to: &world.front)
            for time in [Int64.max, .min] {
                let line = LogLine(attempt: .max, at: WallTime(milliseconds: time), text: "a")
                let log = WorkerMessage.LogReport(job: JobID(held.job), lease: LeaseID(held.lease), log: JobLog([line], omitted: .max))
                _ = world.worker.send(.log([log]), to: &world.front)
            }
            let failure = Failure(id: FailureID(.max), code: .loaderFailed, text: "no", attempts: .max)
            world.worker.end(job.rawValue, .returned, failure: failure, in: &world.front)
            world.worker.take(world.front.settle())
            world.worker.end(job.rawValue, .failed, failure: failure, in: &world.front)
            world.worker.report = .max - 1
            world.worker.end(.max, in: &world.front)
            world.worker.report = 2
        case .contents:
            let largest = { ObjectReference(digest: ObjectDigest(words: ($0, 9, 9, 9)), byteCount: .max, itemCount: .max) }
            for request in [FeedRequest.load, .refresh] {
                let job = try world.accept(.feed(todos, request))
                world.grant()
                var result = FeedResult()
                result.content = largest(job.rawValue)
                world.worker.take(world.worker.end(job.rawValue, feed: result, in: &world.front))
            }
            #expect(world.front.feed(todos)?.content?.object.byteCount == .max)
        case .lateClock: world.front.setWallClock(milliseconds: Int64.max / 1_000_000 - world.front.now.wall.milliseconds)
        case .earlyClock: world.front.setWallClock(milliseconds: -2 * world.front.now.wall.milliseconds)
        }
    }

    @Test(
        "what a front has written after the largest number of each kind came to it, it reads again, and serves", arguments: Source.allCases)
    func restart(source: Source) throws {
        var world = FeedWorld()
        try Self.bring(source, to: &world)
        _ = world.front.ask(.feed(try FeedWorld.key("todos"), .refresh))
        world.rest()
        let job = world.front.run(2, on: &world.worker)
        world.worker.end(job.rawValue, in: &world.front)
        _ = world.front.ask(.job(.cancel(JobID(job.rawValue + 1))))
        for (rows, isSlice) in [(world.front.entries, false), (world.front.machine.wholeCheckpoint, true)] {
            var next = world.front
            next.machine = FrontMachine(settings: next.settings, now: next.now)
            for (index, entry) in rows.enumerated() {
                let read = try WireCodec().decodeEntries(WireCodec().encode([entry]))
                #expect(throws: Never.self, "\(entry)") {
                    try next.machine.restore(read, turn: TurnNumber(UInt64(index + 1)), isSlice: isSlice)
                }
            }
            var actions: [FrontAction] = []
            next.machine.start(at: next.now, into: &actions)
            next.open()
            var worker = WorkerHarness(9)
            worker.register(with: &next)
            _ = next.run(1, on: &worker)
            #expect(!worker.held.isEmpty)
        }
    }
}
