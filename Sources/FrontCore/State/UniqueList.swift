//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule

/// Values in the order in which they first came, each once; constant time for each.
struct UniqueList<Element: Hashable & Sendable>: Sendable {
    private(set) var elements: Deque<Element> = []
    private var known: Set<Element> = []

    init() {}

    /// The values of a sequence.
    init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    var isEmpty: Bool { elements.isEmpty }

    /// Takes a value; one that is there keeps its place.
    /// - Returns: whether it is new.
    @discardableResult
    mutating func append(_ element: Element) -> Bool {
        guard known.insert(element).inserted else { return false }
        elements.append(element)
        return true
    }

    /// Takes the first so many out, in their order; each may come again.
    mutating func takeFirst(_ count: Int) -> [Element] {
        let taken = Array(elements.prefix(count))
        elements.removeFirst(taken.count)
        if elements.isEmpty { known.removeAll(keepingCapacity: true) } else { known.subtract(taken) }
        return taken
    }

    func contains(_ element: Element) -> Bool { known.contains(element) }
}
