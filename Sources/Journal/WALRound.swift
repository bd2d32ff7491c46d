//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One round through the write-ahead log: from an empty one to the moment at which it is emptied into the main file.
///
/// Emptying takes some milliseconds for each MiB, and rows that are handed over meanwhile wait for it. So rounds are short, and end early
/// while nobody waits.
struct WALRound {
    /// At how many bytes it ends whoever waits: one emptying stays far below what a request may take.
    static let byteLimit = 4 << 20
    /// At how many bytes it ends in the quiet: less is not worth two syncs, more would lie there when the next burst begins.
    static let quietByteLimit = 512 << 10
    /// For how long nothing must have been handed over: busy fronts hand rows over within a millisecond of each other.
    static let quiet = Duration.milliseconds(20)

    private var byteCount = 0

    /// A commit has added so much.
    mutating func add(_ byteCount: Int) { self.byteCount += byteCount }

    /// Whether it ends now, although somebody may wait.
    var isFull: Bool { byteCount >= Self.byteLimit }

    /// Whether it ends once nobody waits.
    var mayEnd: Bool { byteCount >= Self.quietByteLimit }
}
