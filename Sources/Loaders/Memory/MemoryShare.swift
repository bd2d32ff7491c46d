//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Memory that was granted to one job, given back when nobody holds this any more.
///
/// Code that outlives its job, in an abandoned call, keeps its share by capturing it: the memory is free when it is really free.
final class MemoryShare: Sendable {
    /// How much, in bytes.
    let byteCount: Int
    private let budget: MemoryBudget

    init(_ byteCount: Int, of budget: MemoryBudget) {
        self.byteCount = byteCount
        self.budget = budget
    }

    deinit { budget.giveBack(byteCount) }
}
