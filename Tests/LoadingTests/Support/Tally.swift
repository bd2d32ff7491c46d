//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A count that tests wait for instead of sleeping.
@MainActor
final class Tally {
    private(set) var count = 0
    private var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func add() {
        count += 1
        let due = waiters.filter { $0.count <= count }
        waiters.removeAll { $0.count <= count }
        for waiter in due { waiter.continuation.resume() }
    }

    /// Returns when the count has reached a number.
    func reaches(_ number: Int) async {
        guard count < number else { return }
        await withCheckedContinuation { waiters.append((number, $0)) }
    }
}
