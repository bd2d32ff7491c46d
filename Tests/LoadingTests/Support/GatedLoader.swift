//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// A loader whose fetches end when the test says so, in any order.
@MainActor
final class GatedLoader: BaseLoadable<Int> {
    let started = Tally()
    private(set) var executing = 0
    private(set) var mostExecuting = 0
    private var gates: [Int: CheckedContinuation<Int, any Error>] = [:]
    private var outcomes: [Int: Result<Int, any Error>] = [:]
    private let reactsToCancellation: Bool
    var onStart: () -> Void = {}

    init(reactsToCancellation: Bool = true) {
        self.reactsToCancellation = reactsToCancellation
        super.init()
    }

    /// Fetches that wait for the test, oldest first.
    var waiting: [Int] { gates.keys.sorted() }

    override func fetch() async throws -> Int {
        started.add()
        let number = started.count
        onStart()
        executing += 1
        mostExecuting = max(mostExecuting, executing)
        defer { executing -= 1 }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { gate in
                if let outcome = outcomes.removeValue(forKey: number) { gate.resume(with: outcome) } else { gates[number] = gate }
            }
        } onCancel: {
            guard reactsToCancellation else { return }
            Task { @MainActor in self.end(number, .failure(CancellationError())) }
        }
    }

    /// Ends a fetch; numbers count from 1 in the order of starting.
    func end(_ number: Int, _ outcome: Result<Int, any Error>) {
        if let gate = gates.removeValue(forKey: number) { gate.resume(with: outcome) } else { outcomes[number] = outcome }
    }

    func succeed(_ number: Int, _ value: Int = 0) { end(number, .success(value)) }
    func fail(_ number: Int, _ error: any Error = Flaw.broken) { end(number, .failure(error)) }
}
