//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Values in the order in which they first came, each once; constant time for each.
struct UniqueList<Element: Hashable> {
    private(set) var elements: [Element] = []
    private var known: Set<Element> = []

    var isEmpty: Bool { elements.isEmpty }

    /// Takes a value; one that is there keeps its place.
    mutating func append(_ element: Element) {
        if known.insert(element).inserted { elements.append(element) }
    }

    func contains(_ element: Element) -> Bool { known.contains(element) }
}
