//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Observation
import Synchronization
import Testing

@testable import Loading

@MainActor
@Suite("Plain loaders", .timeLimit(.minutes(5)))
struct BaseLoadableTests {
    @Test("a load shows loading, then the value, to every observer")
    func load() async {
        let loader = GatedLoader()
        let observers = [await Recorder.watching(loader), await Recorder.watching(loader)]
        let load = Task { await loader.load() }
        await loader.started.reaches(1)
        for observer in observers { await observer.sees(.loading(nil)) }
        loader.succeed(1, 42)
        await load.value
        #expect(loader.currentState == .loaded(42))
        for observer in observers {
            await observer.sees(.loaded(42))
            #expect(observer.states == [.idle, .loading(nil), .loaded(42)])
        }
    }

    @Test("a thrown error is the failure state, and a new load recovers")
    func failure() async {
        let loader = ScriptedLoader("fs")
        await loader.load()
        #expect(loader.currentState.error as? Flaw == .broken)
        await loader.load()
        #expect(loader.currentState == .loaded("2"))
    }

    @Test("a fetch that throws CancellationError was cancelled and has not failed")
    func cancelledFetch() async {
        let loader = ScriptedLoader("csc")
        await loader.load()
        #expect(loader.currentState == .idle)
        await loader.load()
        await loader.load()
        #expect(loader.currentState == .loaded("2"))
    }

    @Test("cancel leaves no observer at loading, shows no failure, and holds until reset")
    func cancel() async {
        let loader = GatedLoader()
        let observer = await Recorder.watching(loader)
        let load = Task { await loader.load() }
        await loader.started.reaches(1)
        await observer.sees(.loading(nil))
        loader.cancel()
        #expect(loader.currentState == .idle)
        #expect(loader.isCanceled)
        await load.value
        await observer.sees(.idle)
        await loader.load()
        #expect(loader.started.count == 1)
        loader.reset()
        #expect(!loader.isCanceled)
        let second = Task { await loader.load() }
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await second.value
        #expect(loader.currentState == .loaded(2))
    }

    @Test("cancel answers at once even when the fetch does not react; its late result is dropped")
    func stubbornFetch() async {
        let loader = GatedLoader(reactsToCancellation: false)
        let observer = await Recorder.watching(loader)
        let load = Task { await loader.load() }
        await loader.started.reaches(1)
        loader.cancel()
        await observer.sees(.idle)
        loader.succeed(1, 1)
        await load.value
        #expect(loader.currentState == .idle)
    }

    @Test("a late result after reset is dropped")
    func lateResult() async {
        let loader = GatedLoader(reactsToCancellation: false)
        let first = Task { await loader.load() }
        await loader.started.reaches(1)
        loader.reset()
        #expect(loader.currentState == .idle)
        let second = Task { await loader.load() }
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await second.value
        loader.succeed(1, 1)
        await first.value
        #expect(loader.currentState == .loaded(2))
    }

    @Test("cancelling the calling task cancels that load alone: before start, while running, and with the result in hand")
    func callerCancellation() async {
        let loader = GatedLoader(reactsToCancellation: false)
        let observer = await Recorder.watching(loader)
        let early = Task { await loader.load() }
        early.cancel()
        await early.value
        #expect(loader.started.count == 0)

        let running = Task { await loader.load() }
        await loader.started.reaches(1)
        running.cancel()
        await observer.sees(.idle)
        #expect(!loader.isCanceled)
        loader.succeed(1, 1)
        await running.value

        let inHand = Task { await loader.load() }
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        inHand.cancel()
        await inHand.value
        #expect(loader.currentState == .idle)
    }

    @Test("overlapping loads all run, and the one started last wins")
    func overlap() async {
        let loader = GatedLoader()
        let loads = [Task { await loader.load() }, Task { await loader.load() }]
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await loads[1].value
        loader.succeed(1, 1)
        await loads[0].value
        #expect(loader.currentState == .loaded(2))
    }

    @Test("a duplicate load is dropped by loadIfNotLoading")
    func duplicate() async {
        let loader = GatedLoader()
        let load = Task { await loader.load() }
        await loader.started.reaches(1)
        await loader.loadIfNotLoading()
        #expect(loader.started.count == 1)
        loader.succeed(1)
        await load.value
    }

    @Test("progress is shown while its load is current, and never revives a load that was reset")
    func progress() async {
        final class Stepping: BaseLoadable<String> {
            let gate = GatedLoader(reactsToCancellation: false)
            override func fetch() async throws -> String {
                updateState(.loading(LoadingProgress(percent: 10, message: "first")))
                await gate.load()
                updateState(.loading(LoadingProgress(percent: 90, message: "late")))
                return "done"
            }
        }
        let loader = Stepping()
        let load = Task { await loader.load() }
        await loader.gate.started.reaches(1)
        #expect(loader.currentState == .loading(LoadingProgress(percent: 10, message: "first")))
        loader.reset()
        loader.gate.succeed(1)
        await load.value
        #expect(loader.currentState == .idle)
    }

    @Test("a subclass that overrides load drives its state itself")
    func ownLoad() async {
        final class Own: BaseLoadable<Int> {
            override init() { super.init() }
            override func load() async {
                updateState(.loading(LoadingProgress(percent: 1)))
                updateState(.loaded(1))
            }
        }
        let loader = Own()
        await loader.load()
        #expect(loader.currentState == .loaded(1))
    }

    @Test("a subclass without fetch fails by name instead of crashing")
    func noFetch() async {
        final class Empty: BaseLoadable<Int> {}
        let loader = Empty()
        await loader.load()
        #expect(loader.currentState.error as? FetchNotOverridden == FetchNotOverridden(typeName: "Empty"))
    }

    @Test("a block loader shows loading without progress only")
    func block() async {
        let loader = BlockLoadable { "Result" }
        let observer = await Recorder.watching(loader)
        await loader.load()
        await observer.sees(.loaded("Result"))
        #expect(Set(observer.states).isSubset(of: [.idle, .loading(nil), .loaded("Result")]))
    }

    @Test("the Observation framework is told when the state changes")
    func observation() async {
        let loader = BlockLoadable { 1 }
        let told = Atomic(0)
        withObservationTracking {
            _ = loader.currentState
        } onChange: {
            told.add(1, ordering: .relaxed)
        }
        await loader.load()
        #expect(told.load(ordering: .relaxed) == 1)
    }

    @Test("a loader goes away with its last owner, and its observers end")
    func end() async {
        var loader: BlockLoadable<Int>? = BlockLoadable { 1 }
        await loader?.load()
        weak let gone = loader
        let states = loader?.state
        loader = nil
        #expect(gone == nil)
        var count = 0
        if let states { for await _ in states { count += 1 } }
        #expect(count == 0)
    }
}
