//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Loading

@Suite("The machine of a plain loader")
struct LoadMachineTests {
    private var machine = LoadMachine<Int>()

    @Test("a load shows loading, then its outcome")
    mutating func outcome() {
        #expect(machine.started() == .run(1))
        #expect(machine.shown == .loading(nil))
        #expect(machine.finished(1, with: .loaded(5)) == .publish(.loaded(5)))
        #expect(machine.finished(1, with: .loaded(6)) == .ignore(.ended))
    }

    @Test("a result is shown only if no load that started later has shown one")
    mutating func order() {
        #expect(machine.started() == .run(1))
        #expect(machine.started() == .run(2))
        #expect(machine.started() == .run(3))
        #expect(machine.finished(1, with: .loaded(1)) == .publish(.loaded(1)))
        #expect(machine.finished(3, with: .loaded(3)) == .publish(.loaded(3)))
        #expect(machine.updated(.loading(LoadingProgress(percent: 1)), by: 2) == .ignore(.superseded))
        #expect(machine.finished(2, with: .loaded(2)) == .ignore(.superseded))
        #expect(machine.shown == .loaded(3))
    }

    @Test("cancel returns to the last state that was not loading, and no load starts before a reset")
    mutating func cancel() {
        #expect(machine.started() == .run(1))
        #expect(machine.finished(1, with: .loaded(1)) == .publish(.loaded(1)))
        #expect(machine.started() == .run(2))
        #expect(machine.cancelled() == .publish(.loaded(1)))
        #expect(machine.finished(2, with: .loaded(2)) == .ignore(.ended))
        #expect(machine.updated(.loading(nil), by: 2) == .ignore(.ended))
        #expect(machine.started() == .ignore)
        #expect(machine.reset() == .publish(.idle))
        #expect(machine.started() == .run(3))
    }

    @Test("a withdrawn load leaves loading to those that still run, and ends it when it was the last")
    mutating func withdrawal() {
        #expect(machine.started() == .run(1))
        #expect(machine.started() == .run(2))
        #expect(machine.withdrawn(2) == .ignore(.nothingToShow))
        #expect(machine.shown == .loading(nil))
        #expect(machine.withdrawn(1) == .publish(.idle))
        #expect(machine.withdrawn(1) == .ignore(.ended))
    }

    @Test("a load that can no longer publish does not keep the state at loading")
    mutating func deadLoad() {
        #expect(machine.started() == .run(1))
        #expect(machine.started() == .run(2))
        #expect(machine.finished(2, with: .loaded(2)) == .publish(.loaded(2)))
        #expect(machine.started() == .run(3))
        #expect(machine.withdrawn(3) == .publish(.loaded(2)))
    }

    @Test("progress counts only for the newest load, and loading without any load is dropped")
    mutating func progress() {
        let half = LoadingState<Int>.loading(LoadingProgress(percent: 50))
        #expect(machine.updated(half, by: nil) == .publish(half))
        #expect(machine.started() == .run(1))
        #expect(machine.started() == .run(2))
        #expect(machine.updated(half, by: 1) == .ignore(.superseded))
        #expect(machine.updated(half, by: 2) == .publish(half))
        #expect(machine.updated(half, by: nil) == .publish(half))
        #expect(machine.reset() == .publish(.idle))
        #expect(machine.updated(half, by: 2) == .ignore(.ended))
        #expect(machine.updated(half, by: nil) == .ignore(.noLoadRunning))
    }
}
