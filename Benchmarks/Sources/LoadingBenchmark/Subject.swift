//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something whose cost is measured.
@MainActor
struct Subject {
    let name: String
    /// How often it is done in a round.
    let count: Int
    let work: @MainActor () async -> Void

    init(_ name: String, count: Int = 1_000, _ work: @escaping @MainActor () async -> Void) {
        (self.name, self.count, self.work) = (name, count, work)
    }

    /// Nanoseconds for doing it once, as an average of a round.
    func round() async -> Double {
        let elapsed = await ContinuousClock().measure {
            for _ in 0..<count { await work() }
        }
        return elapsed / .nanoseconds(count)
    }
}
