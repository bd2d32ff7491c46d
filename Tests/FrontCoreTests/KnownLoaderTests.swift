//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Known loaders")
struct KnownLoaderTests {
    private static let day: Int64 = 86_400_000

    /// A front that refuses unknown loaders, with an open session.
    private func serving(_ change: (inout FrontSettings) -> Void = { _ in }) -> FrontHarness {
        var front = FrontHarness {
            $0.refusesUnknownLoaders = true
            change(&$0)
        }
        front.open()
        return front
    }

    private func offering(_ names: String..., as id: UInt64 = 1, in front: inout FrontHarness) -> WorkerHarness {
        var worker = WorkerHarness(id)
        worker.register(with: &front, loaders: names.map { LoaderDeclaration(name: $0) })
        return worker
    }

    private func leave(_ worker: inout WorkerHarness, _ front: inout FrontHarness) {
        _ = worker.send(.close(), to: &front)
        front.settle()
    }

    /// The refusal of a job of a loader; nil: it is accepted.
    private func refusal(
        of loader: String, _ front: inout FrontHarness, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Failure? {
        let reply = front.askSubmit(1, loader: loader)
        if case .refused(let failure, _)? = reply { return failure }
        if case .jobsAccepted? = reply { return nil }
        Issue.record("the answer is \(String(describing: reply))", sourceLocation: sourceLocation)
        return nil
    }

    /// What was written of loaders that were offered.
    private func notes(_ front: FrontHarness) -> [JournalEntry.LoadersOffered] {
        front.entries.compactMap { if case .loadersOffered(let note) = $0 { note } else { nil } }
    }

    /// What a replay makes of the entries, and a checkpoint, is the same.
    private func check(_ front: FrontHarness, sourceLocation: SourceLocation = #_sourceLocation) {
        let replayed = front.restarted(isTakenUp: false).machine.state
        #expect(front.machine.state.image.difference(from: replayed.image, withJobs: true) == nil, sourceLocation: sourceLocation)
        #expect(DurableImage.disagreement(front.machine.state, replayed, marks: [:], withJobs: true) == nil, sourceLocation: sourceLocation)
        var stored = FrontHarness().machine
        stored.restore(front.machine.wholeCheckpoint, of: TurnNumber(1), isSlice: true)
        #expect(stored.state.workers.offered.entries == front.machine.state.workers.offered.entries, sourceLocation: sourceLocation)
    }

    @Test("a loader that nobody knows is refused with the nearest name that is known, and nothing is accepted")
    func refused() throws {
        var front = serving()
        _ = offering("resize-image", "crawl", in: &front)
        let failure = try #require(refusal(of: "resise-image", &front))
        #expect(failure.code == .unknownLoader && failure.arguments == ["loader", "resise-image", "nearest", "resize-image"])
        #expect(
            failure.text
                == "no worker has offered the loader \"resise-image\" within 30 days, and the configuration does not name it; "
                + "did you mean \"resize-image\"?")
        #expect(failure.nextStepOfRefusal?.hasPrefix("start a worker that offers it, name it under loaders in gantry.yaml") == true)
        let other = try #require(refusal(of: "zz", &front))
        #expect(other.arguments == ["loader", "zz"] && other.text.hasSuffix("does not name it"))
        #expect(front.counts?.waiting == 0)
        #expect(refusal(of: "resize-image", &front) == nil && refusal(of: "crawl", &front) == nil)
    }

    @Test("before any worker was there a job is refused, unless its submit takes any loader")
    func anyLoader() {
        var front = serving()
        #expect(refusal(of: "slow", &front)?.code == .unknownLoader)
        guard case .jobsAccepted? = front.askSubmit(1, loader: "slow", anyLoader: true) else {
            Issue.record("a submit that takes any loader is refused")
            return
        }
        // That a job names it makes no loader known.
        #expect(refusal(of: "slow", &front)?.code == .unknownLoader)
        #expect(front.askSubmit(1, loader: "No Loader", anyLoader: true).map(\.isRefused) == true)
    }

    @Test("what the configuration names is known: under loaders, for a limit, or for a feed")
    func configured() throws {
        var front = serving {
            $0.flow.loaders = ["crawl"]
            $0.flow.limitsOfLoaders = ["mail": []]
        }
        for loader in ["crawl", "mail", "http"] { #expect(refusal(of: loader, &front) == nil) }
        #expect(try #require(refusal(of: "crowl", &front)).arguments.last == "crawl")
    }

    @Test("a loader stays known for 30 days after its last worker has gone, also over restarts, and no longer than 31")
    func age() {
        var front = serving()
        var worker = offering("slow", in: &front)
        // It is known as long as the worker is there, however long that is.
        front.pass(milliseconds: 40 * Self.day)
        worker.register(with: &front, loaders: [LoaderDeclaration(name: "slow")])
        front.pass(milliseconds: Self.day / 2)
        leave(&worker, &front)
        check(front)
        front = front.restarted()
        front.pass(milliseconds: 30 * Self.day)
        front.open()
        #expect(refusal(of: "slow", &front) == nil)
        front.pass(milliseconds: Self.day)
        front.open()
        #expect(refusal(of: "slow", &front)?.code == .unknownLoader)
    }

    @Test("a worker that is registered for months is known, and so is what it offers after its lease is over")
    func lost() {
        var front = serving()
        var worker = offering("slow", in: &front)
        for _ in 0..<2 {
            _ = worker.renew(&front)
            front.settle()
            front.pass(milliseconds: 40 * Self.day)
        }
        // The session has lapsed meanwhile.
        front.open()
        #expect(front.machine.state.workers.count == 1 && refusal(of: "slow", &front) == nil)
        front.settle()
        for _ in 0..<4 {
            front.pass(milliseconds: 10_000)
            front.settle()
        }
        #expect(front.machine.state.workers.count == 0)
        front.pass(milliseconds: 29 * Self.day)
        front.open()
        #expect(refusal(of: "slow", &front) == nil)
        check(front)
    }

    @Test("a worker that comes and goes writes nothing within a day; one that offers other loaders by now, those")
    func notesAreFew() {
        var front = serving()
        for _ in 0..<5 {
            var worker = offering("slow", in: &front)
            front.pass(milliseconds: 60_000)
            leave(&worker, &front)
        }
        #expect(notes(front).map { $0.loaders.map(\.name) } == [["slow"]])
        front.pass(milliseconds: Self.day)
        var worker = offering("fast", "slow", in: &front)
        #expect(notes(front).dropFirst().map { $0.loaders.map(\.name) } == [["fast", "slow"]])
        front.pass(milliseconds: 2 * Self.day)
        worker.register(with: &front, loaders: [LoaderDeclaration(name: "fast")])
        // Until now it offered `slow`.
        #expect(notes(front).dropFirst(2).map { $0.loaders.map(\.name) } == [["fast", "slow"]])
        check(front)
    }

    @Test("no step of the wall clock makes a loader unknown that was offered a minute ago")
    func clockSteps() {
        var front = serving()
        var worker = offering("slow", in: &front)
        leave(&worker, &front)
        front.setWallClock(milliseconds: -400 * Self.day)
        #expect(refusal(of: "slow", &front) == nil)
        // Noted at a time that a wrong clock showed, it keeps the newer one.
        worker = offering("slow", in: &front)
        leave(&worker, &front)
        front.setWallClock(milliseconds: 400 * Self.day)
        #expect(refusal(of: "slow", &front) == nil)
        check(front)
    }

    @Test("of more loaders than are kept the one that was offered longest ago is forgotten, at a tie the first by name")
    func bound() {
        var front = serving { $0.bounds.offeredLoaders = 2 }
        for (number, name) in ["b", "a", "c"].enumerated() {
            var worker = offering(name, as: UInt64(number + 1), in: &front)
            leave(&worker, &front)
            front.pass(milliseconds: 1_000)
        }
        #expect(notes(front).map(\.forgotten) == [[], [], ["b"]])
        #expect(refusal(of: "b", &front) != nil && refusal(of: "a", &front) == nil && refusal(of: "c", &front) == nil)
        var worker = offering("x", "y", "z", as: 9, in: &front)
        // Its third one is known as long as it is there, and then in place of another.
        #expect(["x", "y", "z"].allSatisfy { refusal(of: $0, &front) == nil } && front.machine.state.workers.offered.count == 2)
        leave(&worker, &front)
        #expect(refusal(of: "x", &front) != nil && refusal(of: "z", &front) == nil)
        check(front)
    }

    @Test("a refusal compares few names, however many are known, and its cost is counted")
    func cost() {
        var front = serving { $0.flow.loaders = Set((0..<4_000).map { "loader-number-\($0)" }) }
        let before = front.machine.steps
        #expect(refusal(of: "loader-numbr-7", &front)?.code == .unknownLoader)
        let steps = front.machine.steps - before
        #expect(steps > 4_000 && steps < 20_000, "\(steps)")
    }

    @Test("a front that refuses no loader writes none")
    func off() {
        var front = FrontHarness()
        front.open()
        _ = offering("slow", in: &front)
        #expect(notes(front).isEmpty && refusal(of: "nobody", &front) == nil)
    }
}
