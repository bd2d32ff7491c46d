//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Indexes of what has changed since that was asked last, each once: to note one, and to take one out, costs the same however many there are.
///
/// The one that was noted last comes first. It suits small indexes, of which each has a place of its own; what has none stands in a `UniqueList`.
struct ChangedIndexes: Sendable {
    private var indexes: [Int] = []
    private var isNoted: [Bool] = []

    /// Notes that what has this index has changed.
    mutating func note(_ index: Int) {
        while isNoted.count <= index { isNoted.append(false) }
        guard !isNoted[index] else { return }
        isNoted[index] = true
        indexes.append(index)
    }

    /// The next one, which is noted no more; nil: nothing has changed.
    mutating func take() -> Int? {
        guard let index = indexes.popLast() else { return nil }
        isNoted[index] = false
        return index
    }
}
