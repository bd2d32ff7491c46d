//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import TestSupport
import Testing

@testable import FrontCore

/// What a turn counts is what bounds it: work that is not counted holds the loop up.
@Suite("Steps of a turn")
struct StepCountTests {
    @Test("each message of a client is one at least, also one that nothing comes of")
    func clients() {
        var front = FrontHarness()
        front.open()
        let envelope = ClientEnvelope(
            session: front.session, messages: Array(repeating: .heartbeat(lowestUnanswered: RequestNumber(1)), count: 500))
        let client = front.client
        #expect(front.steps { $0.handle(.clientSent(client, Principal.everything, envelope)) } >= 500)
    }

    @Test("each message of a worker is one at least")
    func workers() {
        var front = FrontHarness()
        front.open()
        var worker = WorkerHarness(1)
        worker.register(with: &front)
        let envelope = WorkerEnvelope(
            worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber,
            messages: Array(repeating: .progress([]), count: 500))
        let peer = worker.peer
        #expect(front.steps { $0.handle(.workerSent(peer, Principal.everything, envelope)) } >= 500)
    }

    @Test("each owner of a deadline that has come is one, beside what it does")
    func deadlines() {
        func ending(sessions: UInt64) -> UInt64 {
            var front = FrontHarness()
            for number in 0..<sessions {
                let envelope = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "c"))])
                front.handle(.clientSent(PeerID(1_000 + number), Principal.everything, envelope))
            }
            front.settle()
            front.pass(milliseconds: 86_400_000)
            return front.steps { $0.settle() }
        }
        // Of each session its end is more, and what is left of one that a turn has no time for is none.
        #expect(ending(sessions: 100) - ending(sessions: 50) >= 100)
        func looking(owners: Int) -> UInt64 {
            var front = FrontHarness()
            front.settle()
            for number in 0..<owners { front.machine.turn.context.check(.lease(worker: number), by: front.now.monotonic) }
            return front.steps { $0.settle() }
        }
        // Each is found among the others, and looked at, though it is there no more.
        #expect(looking(owners: 200) - looking(owners: 100) >= 200)
    }

    @Test("each session of a connection that is lost is one, and so is each worker where one leaves whose process others may be of")
    func ends() {
        func losing(sessions count: Int) -> UInt64 {
            var front = FrontHarness()
            for _ in 0..<count { front.open() }
            return front.steps { $0.handle(.peerLost(PeerID(7))) }
        }
        #expect(losing(sessions: 20) >= losing(sessions: 5) + 15)
        func closing(workers count: UInt64) -> UInt64 {
            var front = FrontHarness()
            var workers = (1...count).map { WorkerHarness($0) }
            for index in workers.indices {
                let process = ProcessIdentity(namespace: "boot/1", number: 77 + UInt32(index), start: 1_234)
                (workers[index].process, workers[index].seen) = (process, process)
                workers[index].register(with: &front)
            }
            return front.steps { _ = workers[0].send(.close(), to: &$0) }
        }
        #expect(closing(workers: 60) > closing(workers: 20) + 20)
    }

    @Test("each unique key whose time is over is one")
    func keys() {
        func freeing(keys count: Int) -> UInt64 {
            var (front, worker) = FrontHarness.serving(prefetch: 400)
            for number in 0..<count {
                let key = UniqueKey("k\(number)", afterEnd: .seconds(60))
                _ = front.submit(1, JobOptionsColumn(JobOptions(uniqueKey: key)))
            }
            worker.take(front.settle())
            _ = worker.endAll(in: &front)
            front.pass(milliseconds: 60_000)
            return front.steps { $0.settle() }
        }
        #expect(freeing(keys: 200) >= freeing(keys: 100) + 100)
    }

    @Test("each job that a worker has dropped before, and may still be at, is one when it drops another")
    func dropped() {
        func dropping(after count: Int) -> UInt64 {
            var (front, worker) = FrontHarness.serving(prefetch: 400)
            _ = front.run(count, on: &worker)
            _ = front.ask(.pause(.begin(.loader("noop"), reason: "", length: nil)))
            worker.held = []
            worker.register(with: &front, prefetch: 400)
            _ = front.run(1, loader: "slow", on: &worker)
            worker.held = []
            return front.steps { worker.register(with: &$0, prefetch: 400) }
        }
        #expect(dropping(after: 200) >= dropping(after: 100) + 100)
    }

    @Test("a connection that is lost and a process that ends count all workers, which are looked through")
    func lost() {
        var front = FrontHarness()
        for number in UInt64(1)...200 {
            var worker = WorkerHarness(number)
            worker.register(with: &front)
        }
        #expect(front.steps { $0.handle(.peerLost(PeerID(9))) } >= 200)
        #expect(front.steps { $0.handle(.processEnded(ProcessIdentity(namespace: "boot/1", number: 77, start: 1))) } >= 200)
    }

    @Test("each observed job of which a wait may have another reason is one")
    func waits() {
        func question(jobs: Int) -> UInt64 {
            var front = FrontHarness()
            front.open()
            let first = front.submit(jobs, loader: "slow")
            for number in 0..<UInt64(jobs) { front.handle(.topicObserved(.job(first.advanced(by: number)), true)) }
            front.settle()
            front.handle(.storageFull(true))
            return front.steps { $0.settle() }
        }
        #expect(question(jobs: 200) >= question(jobs: 100) + 100)
    }

    @Test("each busy feed that is looked at for one that can give way is one, and so many looks are made for one request")
    func busyFeeds() {
        var front = FrontHarness { $0.bounds.feeds = 10 }
        front.open()
        for number in 0..<10 {
            front.pass(milliseconds: 1)
            _ = front.ask(.feed(.named("items?parameter=\(number)"), .load))
        }
        let refused = front.steps { _ = $0.ask(.feed(.named("items?parameter=other"), .load)) }
        #expect(refused >= 64)
    }

    @Test("each save that a reset takes out of its feed's line is one")
    func saves() {
        func reset(saves count: Int) -> UInt64 {
            var front = FrontHarness()
            front.open()
            for number in 0..<count { _ = front.ask(.feed(.named("todos"), .create(item: [UInt8(number)]))) }
            return front.steps { _ = $0.ask(.feed(.named("todos"), .reset(version: nil))) }
        }
        #expect(reset(saves: 200) >= reset(saves: 100) + 100)
    }

    @Test("a loader that is new counts all that were offered lately: which of them is the oldest is looked for")
    func offeredLoaders() {
        func offer(known count: Int) -> UInt64 {
            var front = FrontHarness { $0.refusesUnknownLoaders = true }
            for first in stride(from: 0, to: count, by: 50) {
                var worker = WorkerHarness(UInt64(first + 1))
                worker.register(with: &front, loaders: (first..<first + 50).map { LoaderDeclaration(name: "loader-\($0)") })
                _ = worker.send(.close(), to: &front)
            }
            var worker = WorkerHarness(9_999)
            return front.steps { worker.register(with: &$0, loaders: [LoaderDeclaration(name: "another")]) }
        }
        #expect(offer(known: 400) >= offer(known: 100) + 300)
    }

    @Test("each job that a worker holds is one, and each lease that it lists, as it renews and as it refuses grants")
    func leases() {
        var (front, worker) = FrontHarness.serving(prefetch: 400)
        _ = front.run(400, on: &worker)
        for _ in 0..<8 { worker.take(front.settle()) }
        let leases = worker.held.map(\.lease)
        #expect(leases.count == 400)
        let messages: [(WorkerMessage, UInt64)] = [
            (.renewal(RenewalNumber(1), leases: []), 400), (.renewal(RenewalNumber(2), leases: leases), 800),
            (.refusedGrants(.init(leases: [leases[0]], code: .busy, reason: "full")), 401),
        ]
        for (message, least) in messages {
            let count = front.steps { _ = worker.send(message, to: &$0) }
            #expect(count >= least)
        }
    }

    @Test("each job that a report names is one, also where its worker holds none of them; so is each that is looked at to be counted")
    func jobs() {
        var (front, worker) = FrontHarness.serving()
        var ended = WorkerMessage.Ended(report: 1)
        (ended.jobs, ended.leases) = (Array(1...300), Array(1...300))
        (ended.outcomes, ended.results) = (Array(repeating: .succeeded, count: 300), PackedBytes(repeating: [], count: 300))
        let reported = front.steps { _ = worker.send(.ended(ended), to: &$0) }
        #expect(reported >= 300)
        _ = front.submit(300, loader: "idle")
        let counted = front.steps { _ = $0.ask(.job(.bulk(BulkRequest(.cancel, JobQuery(loader: "slow"), isDry: true)))) }
        #expect(counted >= 300)
    }

    @Test("a limit that observers see counts its values, which are looked at to find those that most jobs name")
    func limits() {
        func shown(values: Int) -> UInt64 {
            var front = FrontHarness()
            front.open()
            _ = front.ask(.limit(.set("tenant", LimitRule(capacity: 1))))
            for value in 0..<values {
                _ = front.submit(1, loader: "idle", JobOptionsColumn(JobOptions(limitKeys: [LimitKey("tenant", value: "\(value)")])))
            }
            front.settle()
            front.pass(milliseconds: 1_000)
            front.settle()
            _ = front.ask(.limit(.set("tenant", LimitRule(capacity: 2))))
            front.pass(milliseconds: 1_000)
            return front.steps { $0.settle() }
        }
        #expect(shown(values: 640) >= shown(values: 64) + 36)
    }

    @Test("a page of feeds counts the feeds of the configuration, which it all looks at")
    func feeds() {
        func page(ofFeeds count: Int) -> UInt64 {
            var front = FrontHarness {
                $0.feeds = (0..<count).map { FeedDefinition(name: "feed-\($0)", sourceLoader: "http") }
                $0.bounds.pageByteCount = 1
            }
            front.open()
            return front.steps { _ = $0.ask(.listFeeds()) }
        }
        #expect(page(ofFeeds: 6_400) == page(ofFeeds: 64) + 99)
    }
}
