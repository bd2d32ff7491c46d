//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What happens to an object's bytes before its name is given out.
public enum Durability: Hashable, Sendable {
    /// Can be loaded again: not synced, a power cut may take it (damage is found when it is read).
    case cached
    /// The user's own data: file and folders are synced to disk before `finish()` returns.
    case persistent
}
