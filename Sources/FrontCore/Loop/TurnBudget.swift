//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a turn may still do. What is left waits for the next one, so that nobody waits for one peer's work.
struct TurnBudget {
    private var messages: Int
    private var bytes: Int
    private let lastStep: UInt64

    /// A full budget, beside the steps of which `steps` are behind.
    init(_ settings: LoopSettings, steps: UInt64) {
        messages = settings.turnMessages
        bytes = settings.readByteBudget
        lastStep = steps &+ UInt64(settings.turnSteps)
    }

    /// Whether another message may be handled, so many steps being behind.
    func isLeft(_ steps: UInt64) -> Bool { messages > 0 && bytes > 0 && steps < lastStep }

    /// So many messages are handled.
    mutating func take(messages count: Int = 1) { messages -= count }

    /// The bytes of a frame are handled.
    mutating func take(byteCount: Int) { bytes -= byteCount }
}
