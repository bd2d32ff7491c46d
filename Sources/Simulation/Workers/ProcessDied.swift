//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Thrown by every call of a process that is dead, so that its loop ends where it stood.
struct ProcessDied: Error {}
