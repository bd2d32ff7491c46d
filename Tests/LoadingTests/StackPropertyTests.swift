//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Testing

@testable import Loading

@MainActor
@Suite("Random stacks", .timeLimit(.minutes(10)))
struct StackPropertyTests {
    @Test(
        "whatever is done to any stack: limits hold, permits come back, nobody waits for ever, all observers end alike",
        arguments: 0..<8)
    func anything(batch: Int) async {
        for seed in UInt64(batch * 50)..<UInt64(batch * 50 + 50) {
            let stack = await RandomStack(seed: seed)
            await run(stack, "seed \(seed): \(stack.name)")
        }
    }

    private func run(_ stack: RandomStack, _ name: String) async {
        var observers = [await watch(stack)]
        for step in 0..<40 {
            await stack.act()
            if step == 20 { observers.append(await watch(stack)) }
            #expect(stack.isWithinLimits, "\(name), step \(step)")
        }
        stack.top.reset()
        #expect(stack.top.currentState == .idle, "\(name)")
        await stack.drain { stack.isAtRest }
        observers.append(await watch(stack))
        stack.load()
        await stack.drain {
            stack.isAtRest && stack.top.currentState.value != nil && observers.allSatisfy { $0.last == stack.top.currentState }
        }
        #expect(stack.isWithinLimits, "\(name)")
        #expect(observers.allSatisfy { $0.last == stack.top.currentState }, "\(name)")
    }

    private func watch(_ stack: RandomStack) async -> Recorder<Int> {
        let recorder = await Recorder.watching(stack.top)
        recorder.onRecord = { [events = stack.events] in events.add() }
        return recorder
    }
}
