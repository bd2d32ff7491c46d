//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension JobState {
    /// Whether nothing more will happen to the job by itself.
    @inlinable public var isFinal: Bool { rawValue >= JobState.succeeded.rawValue }
}
