//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The results of jobs that end together, on their way into the arena: all at once, as soon as the first one is met.
struct EndedResults {
    private let bytes: [UInt8]
    private var run: BlobArena.Run?
    private var isStored = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The blob of one of them.
    mutating func take(_ range: Range<Int>, into arena: inout BlobArena) -> BlobReference {
        guard !range.isEmpty else { return .empty }
        if !isStored { (run, isStored) = (arena.storeAll(bytes), true) }
        return arena.take(range, of: bytes, at: run)
    }
}
