//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// A value for each kind of ended job.
struct ByEndedKind<Value> {
    private var other: Value
    private var failed: Value

    init(repeating value: Value) { (other, failed) = (value, value) }

    /// The value of a kind.
    ///
    /// It is copied, and not lent: each turn looks at several, and a coroutine that lends one takes memory from the heap.
    subscript(kind: EndedKind) -> Value {
        get {
            switch kind {
            case .other: other
            case .failed: failed
            }
        }
        _modify {
            switch kind {
            case .other: yield &other
            case .failed: yield &failed
            }
        }
    }
}

extension ByEndedKind: Sendable where Value: Sendable {}
