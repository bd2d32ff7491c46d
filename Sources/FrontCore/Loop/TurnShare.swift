//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What one peer may have done before the next has its turn.
struct TurnShare {
    private var messages: Int
    private let lastStep: UInt64

    init(_ settings: LoopSettings, steps: UInt64) {
        messages = settings.shareMessages
        lastStep = steps &+ UInt64(settings.shareSteps)
    }

    /// Takes one message of the share; false: none is left.
    mutating func takeMessage(_ steps: UInt64) -> Bool {
        messages -= 1
        return messages >= 0 && steps < lastStep
    }
}
