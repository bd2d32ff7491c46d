//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What an object's body holds; byte 1 of its head.
enum ObjectKind: UInt8 {
    /// Content only.
    case bytes = 1
    /// Items, then their offsets, then the index of their ids.
    case list = 2
    /// Entries that put the items of one list in order.
    case order = 3
}
