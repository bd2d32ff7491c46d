//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import GantryWire
import Testing

@testable import FrontCore

/// A row of the journal carries a slice of a checkpoint beside what the turn decided, and whoever waits for the one waits for the other.
@Suite("Slices of a checkpoint")
struct CheckpointSliceTests {
    private static func jobs(_ entries: [JournalEntry]) -> (ids: [UInt64], byteCount: Int) {
        for case .jobsStored(let stored) in entries { return (stored.jobs, stored.arguments.byteCount) }
        return ([], 0)
    }

    @Test("a slice ends with the job that fills it, and the next one goes on behind it", arguments: [0, 1, 40_000, 300_000])
    func bytes(limit: Int) {
        let argument = 10_000
        var front = FrontHarness()
        front.open()
        let submit = ClientMessage.Submit(
            number: RequestNumber(1), lowestUnanswered: RequestNumber(1), loader: "slow", reportsOutcomes: true,
            arguments: PackedBytes(repeating: Array(repeating: 7, count: argument), count: 50))
        _ = front.send(.submit(submit))
        var ids: [UInt64] = []
        var next: UInt64? = 1
        var slices = 0
        while let from = next, slices <= 50 {
            let slice = front.machine.state.slice(from: from, chunkLimit: 100, byteLimit: limit)
            let (found, byteCount) = Self.jobs(slice.entries)
            #expect(byteCount < max(1, limit) + argument, "one job at least")
            ids += found
            slices += 1
            next = slice.next
        }
        #expect(ids == Array(1...50))
        #expect(slices >= 50 * argument / (limit + argument))
    }

    @Test("the rows of a checkpoint are as small as they are to be, and a life that begins with it has every job")
    func rows() throws {
        let client = PeerID(7)
        var settings = LoopSettings()
        settings.checkpointByteCount = 1
        settings.sliceByteLimit = 2_000
        let first = try LoopHarness(loop: settings)
        let session = try first.open()
        first.client(client, session, LoopHarness.submit(1, 2_000))
        try first.turn(400)
        let slices = first.rows.filter(\.isSlice)
        #expect(slices.count >= 60)
        // Jobs are weighed roughly.
        #expect(slices.allSatisfy { $0.entries.count < 2 * settings.sliceByteLimit }, "\(slices.map(\.entries.count).max() ?? 0)")
        let next = try LoopHarness(after: first)
        guard case .counts(let counts)? = next.loop.item("counts", of: .jobs) else {
            Issue.record("no counts")
            return
        }
        #expect(counts.waiting == 2_000)
    }

    @Test("the options that jobs share count once in a slice, and those that differ each")
    func options() {
        var front = FrontHarness()
        front.open()
        func count(_ texts: [Int]) -> Int {
            let options = texts.map { text in JobOptions(tags: (0..<8).map { "\(text)\($0)" + String(repeating: "t", count: 50) }) }
            let first = front.submit(texts.count, loader: "slow", JobOptionsColumn(options))
            return Self.jobs(front.machine.state.slice(from: first.rawValue, chunkLimit: 9, byteLimit: 4_000).entries).ids.count
        }
        // Each has more than 400 bytes of them, and a record less than a fourth of that.
        let (different, shared) = (count(Array(0..<60)), count(Array(repeating: 100, count: 60)))
        #expect((2...10).contains(different) && shared >= 30, "\(different), \(shared)")
    }

    @Test("views with large details are spread over slices, none larger than it is to be and one view")
    func views() throws {
        let (limit, detail) = (LoopSettings().sliceByteLimit, 60_000)
        var world = FeedWorld()
        let keys = try (0..<4).map { try FeedWorld.key("items?parameter=\($0)") }
        for key in keys { _ = try world.accept(.feed(key, .load)) }
        world.rest()
        for key in keys {
            for view in 0..<50 { _ = try world.accept(.feed(key, .select(view: "v\(view)", itemID: "x", version: nil))) }
        }
        world.rest(detail: String(repeating: "d", count: detail))
        let machine = world.front.machine
        #expect(machine.state.feeds.detailByteCount >= 200 * detail)
        var (head, cursor) = machine.state.beginCheckpoint(.full)
        var restored = FrontMachine(settings: world.front.settings, now: world.front.now)
        restored.restore(head, of: TurnNumber(9), isSlice: true)
        var byteCounts = [WireCodec().encode(head).count]
        while !cursor.isDone {
            head = cursor.takeSlice(of: machine.state, chunkLimit: 32, byteLimit: limit)
            byteCounts.append(WireCodec().encode(head).count)
            restored.restore(head, of: TurnNumber(UInt64(9 + byteCounts.count)), isSlice: true)
        }
        #expect(byteCounts.allSatisfy { $0 < limit + detail + 4_096 }, "\(byteCounts)")
        #expect(byteCounts.count >= 200 * detail / (limit + detail))
        #expect(machine.state.image.difference(from: restored.state.image, withJobs: true) == nil)
        #expect(restored.state.bytes == machine.state.bytes)
    }

    @Test("many long names of loaders are spread over slices, none larger than it is to be and one worker, the first one too")
    func names() throws {
        let (count, limit) = (60, 32_768)
        let loaders = (10..<74).map { LoaderDeclaration(name: String(repeating: "l", count: 61) + "\($0)") }
        var front = FrontHarness()
        for number in 1...UInt64(count) {
            var worker = WorkerHarness(number)
            worker.register(with: &front, loaders: loaders)
        }
        let state = front.machine.state
        #expect(state.workers.count == count)
        var (entries, cursor) = state.beginCheckpoint(.full, byteLimit: limit)
        var (slices, byteCounts) = ([entries], [WireCodec().encode(entries).count])
        while !cursor.isDone {
            entries = cursor.takeSlice(of: state, chunkLimit: 32, byteLimit: limit)
            slices.append(entries)
            byteCounts.append(WireCodec().encode(entries).count)
        }
        // Names are weighed roughly.
        #expect(byteCounts.reduce(0, +) > count * 64 * 63 && byteCounts.allSatisfy { $0 < 2 * limit }, "\(byteCounts)")
        #expect(byteCounts.count > 4)
        var settings = LoopSettings()
        (settings.sliceByteLimit, settings.sliceChunks) = (limit, 32)
        #expect(state.slices(settings, .full) == slices)
        var restored = FrontMachine(settings: front.settings, now: front.now)
        for (index, slice) in slices.enumerated() { restored.restore(slice, of: TurnNumber(UInt64(9 + index)), isSlice: true) }
        #expect(state.image.difference(from: restored.state.image, withJobs: true) == nil)
    }

    @Test("workers that come, go, drain and register anew between the slices with workers are as they were in the end", arguments: 0..<40)
    func workers(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var workers = (1...6).map { WorkerHarness($0) }
        var earlier = FrontHarness()
        earlier.open()
        for index in 0..<4 { workers[index].register(with: &earlier) }
        _ = earlier.submit(8, loader: "slow")
        let granted = earlier.settle()
        for index in workers.indices { workers[index].take(granted) }
        var front = earlier.restarted()
        let begin = front.entries.count
        var (entries, cursor) = front.machine.state.beginCheckpoint(.full, byteLimit: 1)
        var slices = [(turn: begin, entries: entries)]
        while !cursor.isDone {
            for _ in 0..<Int.random(in: 0...2, using: &numbers) { changeWorker(&workers, &front, &numbers) }
            entries = cursor.takeSlice(of: front.machine.state, chunkLimit: 1, byteLimit: 1)
            slices.append((front.entries.count, entries))
        }
        for _ in 0..<5 { changeWorker(&workers, &front, &numbers) }
        var restored = FrontMachine(settings: front.settings, now: front.now)
        for slice in slices { restored.restore(slice.entries, of: TurnNumber(UInt64(slice.turn)), isSlice: true) }
        for index in begin..<front.entries.count {
            restored.restore([front.entries[index]], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        let difference = front.machine.state.image.difference(from: restored.state.image, withJobs: true)
        #expect(difference == nil, "\(difference ?? "")")
        #expect(Self.leaseEpochs(front.machine.state) == Self.leaseEpochs(restored.state))
        #expect(slices.count >= 5)
    }

    /// The epoch that each worker's lease counts from; none: it registered in the last one.
    private static func leaseEpochs(_ state: FrontState) -> [WorkerID: Epoch] {
        let workers = state.workers
        return Dictionary(
            uniqueKeysWithValues: workers.all.map { worker in
                (worker.id, workers.epochs.all.first { $0.epoch > worker.epoch }?.epoch ?? .none)
            })
    }

    /// Something that one of the workers does, or that happens to it.
    private func changeWorker(_ workers: inout [WorkerHarness], _ front: inout FrontHarness, _ numbers: inout SplitMix64) {
        let index = Int.random(in: workers.indices, using: &numbers)
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0, 1: workers[index].register(with: &front)
        case 2:
            _ = workers[index].send(.close(), to: &front)
            (workers[index].registrationNumber, workers[index].held) = (.none, [])
        case 3: _ = front.ask(.drainWorker(workers[index].id))
        case 4:
            _ = front.submit(1, loader: "slow")
            workers[index].take(workers[index].renew(&front))
        default: front.pass(milliseconds: 1_500)
        }
        let granted = front.settle()
        for index in workers.indices { workers[index].take(granted) }
    }

    @Test("whatever changes between two slices, a restart has the state as it was in the end", arguments: 0..<80)
    func changes(seed: UInt64) throws {
        var numbers = SplitMix64(mixing: seed)
        var world = FeedWorld { settings in
            (settings.bounds.feeds, settings.bounds.viewsPerFeed, settings.bounds.viewAge) = (5, 6, .seconds(4))
        }
        for _ in 0..<60 { try change(&world, &numbers) }
        let begin = world.front.entries.count
        var (entries, cursor) = world.front.machine.state.beginCheckpoint(.full, byteLimit: 1)
        var slices = [(turn: begin, entries: entries)]
        while !cursor.isDone {
            for _ in 0..<Int.random(in: 0...3, using: &numbers) { try change(&world, &numbers) }
            let limit = Int.random(in: 0..<3, using: &numbers) == 0 ? 3_000 : 1
            entries = cursor.takeSlice(of: world.front.machine.state, chunkLimit: 1, byteLimit: limit)
            slices.append((world.front.entries.count, entries))
        }
        for _ in 0..<10 { try change(&world, &numbers) }
        var restored = FrontMachine(settings: world.front.settings, now: world.front.now)
        for slice in slices { restored.restore(slice.entries, of: TurnNumber(UInt64(slice.turn)), isSlice: true) }
        for index in begin..<world.front.entries.count {
            restored.restore([world.front.entries[index]], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        let difference = world.front.machine.state.image.difference(from: restored.state.image, withJobs: true)
        #expect(difference == nil, "\(difference ?? "")")
        #expect(restored.state.keysMiscount == nil)
        #expect(slices.count >= 5)
    }

    /// None in one of three cases; of buffered ones there are few, so that jobs wait behind each other.
    private func uniqueKey(_ numbers: inout SplitMix64) -> UniqueKey? {
        let modes = [UniqueMode.untilStarted, .untilEnded, .replace]
        return [nil, UniqueKey("few", mode: .buffer), UniqueKey("k", mode: modes[Int(numbers.next() % 3)])][Int(numbers.next() % 3)]
    }

    /// Something that somebody does.
    private func change(_ world: inout FeedWorld, _ numbers: inout SplitMix64) throws {
        let key = try FeedWorld.key("items?parameter=\(Int.random(in: 0..<9, using: &numbers))")
        let view = "v\(Int.random(in: 0..<7, using: &numbers))"
        switch Int.random(in: 0..<14, using: &numbers) {
        case 0, 1: _ = world.front.ask(.feed(key, .load))
        case 2: _ = world.front.ask(.feed(key, .select(view: view, itemID: "x\(Int.random(in: 0..<9, using: &numbers))", version: nil)))
        case 3: _ = world.front.ask(.feed(key, .filter(view: view, text: "t\(Int.random(in: 0..<9, using: &numbers))", version: nil)))
        case 4: _ = world.front.ask(.feed(key, .reset(version: nil)))
        case 5: _ = world.front.ask(.feed(try FeedWorld.key("todos"), .create(item: Array("{}".utf8))))
        case 6:
            world.front.nextRequest += 1
            let submit = ClientMessage.Submit(
                number: RequestNumber(world.front.nextRequest), lowestUnanswered: RequestNumber(1), loader: "slow",
                options: JobOptionsColumn(JobOptions(uniqueKey: uniqueKey(&numbers))), reportsOutcomes: true, arguments: [[7]])
            _ = world.front.send(.submit(submit))
        case 7:
            if Bool.random(using: &numbers) { _ = world.front.send(.close) }
            world.front.open(label: "client \(Int.random(in: 0..<5, using: &numbers))")
        case 8, 9:
            world.front.pass(milliseconds: 1_000)
            world.worker.take(world.worker.renew(&world.front))
            world.grant()
        case 10: world.grant()
        default:
            guard let job = world.worker.held.randomElement(using: &numbers)?.job else { return }
            if world.front.job(JobID(job))?.state == .cancelling {
                world.worker.take(world.worker.end(job, .cancelled, in: &world.front))
            } else {
                world.finish(job)
            }
        }
    }

    @Test("a job that comes behind another one of its key between the slices of keys and of jobs expires after a restart all the same")
    func expiresBehind() throws {
        var world = FeedWorld()
        _ = try world.accept(.feed(try FeedWorld.key("items?parameter=sample"), .load))
        world.rest()
        var options = JobOptions(uniqueKey: UniqueKey("k", mode: .buffer))
        let before = world.front.submit(1, loader: "slow", JobOptionsColumn(options))
        world.grant()
        let begin = world.front.entries.count
        var (entries, cursor) = world.front.machine.state.beginCheckpoint(.full, byteLimit: 1)
        var slices = [(turn: begin, entries: entries)]
        func isFeed(_ entry: JournalEntry) -> Bool { if case .feedChanged = entry { true } else { false } }
        var job = JobID.none
        while !cursor.isDone {
            entries = cursor.takeSlice(of: world.front.machine.state, chunkLimit: 1, byteLimit: 1)
            slices.append((world.front.entries.count, entries))
            guard entries.contains(where: isFeed) else { continue }
            // The keys are written, the jobs are not yet.
            options.expiresAt = world.front.now.wall.advanced(by: .seconds(2))
            job = world.front.submit(1, loader: "slow", JobOptionsColumn(options))
        }
        #expect(world.front.job(job)?.waitReason == .keyTaken(by: before))
        var next = world.front.restarted(isTakenUp: false)
        next.machine = FrontMachine(settings: next.settings, now: next.now)
        for slice in slices { next.machine.restore(slice.entries, of: TurnNumber(UInt64(slice.turn)), isSlice: true) }
        #expect(next.machine.state.jobs[job.rawValue].standing == .queued)
        for index in begin..<world.front.entries.count {
            next.machine.restore([world.front.entries[index]], of: TurnNumber(UInt64(index + 1)), isSlice: false)
        }
        var actions: [FrontAction] = []
        next.machine.start(at: next.now, into: &actions)
        #expect(next.machine.state.jobs[job.rawValue].standing == .blocked)
        next.pass(milliseconds: 2_000)
        next.settle()
        #expect(next.job(job)?.state == .expired)
    }

    @Test("a life that ends in the middle of a checkpoint, or after it, leaves all sessions, replies and jobs", arguments: [4, 40, 400])
    func middle(turns: Int) throws {
        var settings = LoopSettings()
        settings.checkpointByteCount = 1
        settings.sliceByteLimit = 1_000
        let first = try LoopHarness(loop: settings)
        for number in UInt64(1)...50 {
            let peer = PeerID(100 + number)
            first.client(peer, try first.open(peer), LoopHarness.submit(1, 2))
        }
        try first.turn(turns)
        let next = try LoopHarness(after: first)
        let (own, restored) = (first.loop.present.state.image, next.loop.present.state.image)
        #expect(own.difference(from: restored, withJobs: true) == nil)
        #expect(own.replies.count == 50 && own.jobs.count == 100)
    }

    @Test("jobs that have ended are in no slice but beside it, and are read when somebody asks, once what makes them known is durable")
    func endedJobs() throws {
        let (client, worker) = (PeerID(7), PeerID(1_001))
        var settings = LoopSettings()
        settings.checkpointByteCount = 2_000
        let first = try LoopHarness(loop: settings)
        let session = try first.open()
        let says = try first.register(1, at: worker)
        first.client(client, session, LoopHarness.submit(1, 4))
        try first.turn(4)
        for case .grant(let grant) in try first.takeSent(toWorker: worker) {
            var ended = WorkerMessage.Ended(report: 1)
            (ended.jobs, ended.leases) = (grant.jobs, grant.leases)
            ended.outcomes = grant.jobs.map { _ in .succeeded }
            ended.results = PackedBytes(repeating: [4, 5], count: grant.jobs.count)
            first.worker(worker, says.saying(.ended(ended)))
        }
        try first.turn(4)
        // So much is written that a checkpoint is due.
        first.client(client, session, LoopHarness.submit(2, 2_000))
        try first.turn(20)
        #expect(first.bundles.count == 1)
        let stored = try first.rows.filter(\.isSlice).flatMap { try WireCodec().decodeEntries($0.entries) }
        #expect(stored.contains { if case .endedBundled(let bundle) = $0 { bundle.jobs == [1, 2, 3, 4] } else { false } })
        let ids = stored.flatMap { entry -> [UInt64] in if case .jobsStored(let jobs) = entry { jobs.jobs } else { [] } }
        #expect(ids == Array(5...2_004))

        _ = try first.takeMessages()
        first.holdsRows = true
        first.client(client, session, LoopHarness.submit(3, 1))
        try first.turn()
        first.client(client, session, LoopHarness.request(4, .job(.explain(JobID(2)))))
        try first.turn(3)
        #expect(first.bundlesRead.isEmpty)
        first.holdsRows = false
        first.release()
        try first.turn(3)
        #expect(first.bundlesRead == [BundleNumber(1)])
        guard case .explanation(let explanation)? = try first.takeReplies()[4] else {
            Issue.record("no explanation")
            return
        }
        #expect(explanation.job.state == .succeeded && explanation.job.result == [4, 5])
    }
}
