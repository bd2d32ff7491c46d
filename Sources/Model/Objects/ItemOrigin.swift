//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Who made an item as it is now; decides what a merge may do with it.
public enum ItemOrigin: UInt8, Hashable, Sendable, CaseIterable {
    /// As the source gave it. A merge replaces it, or removes it when the source no longer has it.
    case source = 0
    /// Made by hand. A merge never removes or replaces it.
    case manual = 1
    /// From the source, then changed by hand. A merge keeps the hand's version.
    case edited = 2
}
