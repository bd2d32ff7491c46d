//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Loading

@Suite("A relay hands the newest value to every observer", .timeLimit(.minutes(5)))
struct StateRelayTests {
    @Test("a new observer receives the current value at once, then later ones")
    func current() async {
        let relay = StateRelay(1)
        relay.update(2)
        var observer = relay.stream.makeAsyncIterator()
        #expect(await observer.next() == 2)
        relay.update(3)
        #expect(await observer.next() == 3)
        #expect(relay.currentValue == 3)
    }

    @Test("two observers do not steal values from each other, also on one sequence")
    func noStealing() async {
        let relay = StateRelay(0)
        let sequence = relay.stream
        var first = sequence.makeAsyncIterator()
        var second = sequence.makeAsyncIterator()
        for value in 1...5 {
            relay.update(value)
            #expect(await first.next() == value)
            #expect(await second.next() == value)
        }
        #expect(relay.observerCount == 2)
    }

    @Test("a slow observer misses values in between, never the last one")
    func slowObserver() async {
        let relay = StateRelay(0)
        var slow = relay.stream.makeAsyncIterator()
        for value in 1...1000 { relay.update(value) }
        #expect(await slow.next() == 1000)
        relay.update(1001)
        relay.finish()
        #expect(await slow.next() == 1001)
        #expect(await slow.next() == nil)
    }

    @Test("an observer that ends frees its place")
    func freesPlace() async {
        let relay = StateRelay(0)
        let task = Task { for await _ in relay.stream {} }
        do {
            var iterator = relay.stream.makeAsyncIterator()
            #expect(await iterator.next() == 0)
        }
        task.cancel()
        await task.value
        #expect(relay.observerCount == 0)
    }

    @MainActor
    @Test("those who wait at one place get one value each, in order, and the end lets all of them go")
    func onePlace() async {
        let observer = StateObserver(0)
        #expect(await observer.next(isolation: #isolation) == 0)
        let started = Tally()
        let readers = (0..<3).map { _ in
            Task { @MainActor in
                started.add()
                return await observer.next(isolation: #isolation)
            }
        }
        await started.reaches(3)
        observer.offer(1)
        observer.offer(2)
        observer.end()
        observer.offer(3)
        #expect(await observer.next(isolation: #isolation) == nil)
        var values: [Int?] = []
        for reader in readers { values.append(await reader.value) }
        #expect(values == [1, 2, nil])
    }

    @Test("the end of the relay ends all observers, and a sequence without its relay is empty")
    func end() async {
        var relay: StateRelay<Int>? = StateRelay(7)
        let sequence = relay?.stream
        var observer = sequence?.makeAsyncIterator()
        relay = nil
        #expect(await observer?.next() == 7)
        #expect(await observer?.next() == nil)
        var late = sequence?.makeAsyncIterator()
        #expect(await late?.next() == nil)
    }

    @Test("a finished relay gives its last value to a late observer")
    func lateObserver() async {
        let relay = StateRelay(7)
        relay.finish()
        var late = relay.stream.makeAsyncIterator()
        #expect(await late.next() == 7)
        #expect(await late.next() == nil)
    }

    @Test("updates from many threads reach every observer in one order")
    func threads() async {
        let relay = StateRelay(0)
        let observers = (0..<4).map { _ in
            Task {
                var last = 0
                for await value in relay.stream { last = value }
                return last
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for value in 1...100 { group.addTask { relay.update(value) } }
        }
        let final = relay.currentValue
        relay.finish()
        for observer in observers { #expect(await observer.value == final) }
    }
}
