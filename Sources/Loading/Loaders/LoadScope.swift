//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Which load of which loader the running task works for.
enum LoadScope {
    /// The load of each loader whose fetch is running further up in this task.
    @TaskLocal static var loads: [ObjectIdentifier: UInt64] = [:]
}
