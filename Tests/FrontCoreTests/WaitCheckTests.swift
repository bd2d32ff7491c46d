//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("The check of the reasons of waits")
struct WaitCheckTests {
    /// A front whose jobs wait for something else each, by what.
    private func world() -> (FrontHarness, [WaitReason.Word: JobID]) {
        var (front, worker) = FrontHarness.serving(slots: 1, prefetch: 0)
        _ = front.ask(.limit(.set("api", LimitRule(capacity: 3))))
        _ = front.ask(.limit(.set("rate", LimitRule(refill: LimitRefill(1, per: .seconds(3_600), burst: 1)))))
        func options(_ keys: [LimitKey]) -> JobOptionsColumn { JobOptionsColumn(JobOptions(limitKeys: keys)) }
        _ = front.submit(1, loader: "slow", options([LimitKey("api"), LimitKey("rate")]))
        worker.take(front.settle())
        var jobs: [WaitReason.Word: JobID] = [:]
        jobs[.limitTooSmall] = front.submit(1, loader: "slow", options([LimitKey("api", weight: 3)]))
        _ = front.ask(.limit(.set("api", LimitRule(capacity: 1))))
        jobs[.limitFull] = front.submit(1, loader: "slow", options([LimitKey("api")]))
        let tokens = front.submit(1, loader: "slow", options([LimitKey("rate")]))
        jobs[.slotsTaken] = front.submit(1, loader: "slow")
        jobs[.noWorker] = front.submit(1, loader: "nobody")
        jobs[.delayed] = front.submit(1, loader: "slow", JobOptionsColumn(JobOptions(start: .after(.seconds(60)))))
        jobs[.paused] = front.submit(1, loader: "other")
        _ = front.ask(.pause(.begin(.loader("other"), reason: "", length: nil)))
        worker.take(front.settle())
        if case .limitFull(_, .tokens)? = front.job(tokens)?.waitReason {} else { Issue.record("\(String(describing: front.job(tokens)))") }
        return (front, jobs)
    }

    private func fault(_ front: FrontHarness, shown: (UInt64) -> WaitReason?) -> String? {
        WaitCheck(front.machine.queue, in: front.machine.turn).fault(of: shown)
    }

    @Test("what is shown is found true, and each other reason in its place false, as is none")
    func each() throws {
        let (front, jobs) = world()
        #expect(front.machine.neglected.reason == nil)
        let shown = jobs.mapValues { front.job($0)?.waitReason }
        for (word, job) in jobs {
            let own = try #require(shown[word] ?? nil)
            #expect(own.word == word)
            for other in shown.values.map({ $0 }) + [nil, .suspected, .storageFull, .keyTaken(by: job)] where other != own {
                let found = fault(front) { $0 == job.rawValue ? other : front.job(JobID($0))?.waitReason }
                #expect(found?.hasPrefix("job \(job) is said to wait since") == true, "\(word), said to be \(String(describing: other))")
            }
        }
    }

    @Test("where only paused workers offer its loader a job names the pause of one of them")
    func pausedWorkers() throws {
        var (front, worker) = FrontHarness.serving(loaders: [LoaderDeclaration(name: "slow")])
        _ = front.ask(.pause(.begin(.worker("w1"), reason: "", length: nil)))
        let job = front.submit(1, loader: "slow")
        worker.take(front.settle())
        #expect(worker.held.isEmpty && front.machine.neglected.reason == nil)
        guard case .paused(let pause)? = front.job(job)?.waitReason else { return #expect(Bool(false), "it is not paused") }
        #expect(pause.target == .worker("w1"))
        let pauses = [PauseTarget.worker("w2"), .loader("slow")].map { Pause($0, by: pause.by, reason: "", since: pause.since) }
        let others: [WaitReason?] = pauses.map { .paused($0) } + [.noWorker(loader: "slow"), .slotsTaken, nil]
        for wrong in others {
            #expect(fault(front) { _ in wrong }?.hasSuffix(": only paused workers offer slow") == true, "\(String(describing: wrong))")
        }
    }

    @Test("a full disk and a pause of all are the reason of each that no key and no time keeps")
    func whole() {
        var (front, jobs) = world()
        front.handle(.storageFull(true))
        #expect(front.machine.neglected.reason == nil && front.job(jobs[.slotsTaken] ?? .none)?.waitReason == .storageFull)
        #expect(fault(front) { front.job(JobID($0))?.waitReason == .storageFull ? .slotsTaken : front.job(JobID($0))?.waitReason } != nil)
        front.handle(.storageFull(false))
        _ = front.ask(.pause(.begin(.everything, reason: "", length: nil)))
        front.handle(.storageFull(true))
        #expect(front.machine.neglected.reason == nil && front.job(jobs[.slotsTaken] ?? .none)?.waitReason?.word == .paused)
    }

    @Test("a job behind another of its key names that one, and says whether it stops")
    func keys() throws {
        var world = FeedWorld()
        let key = try FeedWorld.key("todos")
        let create = try world.accept(.feed(key, .create(item: Array("{}".utf8))))
        world.grant()
        let next = try world.accept(.feed(key, .create(item: Array("{}".utf8))))
        #expect(world.front.machine.neglected.reason == nil && world.front.job(next)?.waitReason == .keyTaken(by: create))
        for wrong: WaitReason in [.cancelledRunStopping(create), .keyTaken(by: next), .slotsTaken] {
            #expect(fault(world.front) { $0 == next.rawValue ? wrong : world.front.job(JobID($0))?.waitReason } != nil)
        }
    }
}
