//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// An error that may pass by itself, or may not.
public protocol PassingFault: Error {
    /// Whether the same may succeed later though nobody has mended anything here.
    var mayPass: Bool { get }
}
