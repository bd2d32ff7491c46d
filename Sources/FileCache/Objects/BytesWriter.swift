//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Writes plain bytes (a detail, a result over 64 KiB) as an object. Without `finish()` nothing stays on disk. One owner at a time.
public final class BytesWriter {
    private let object: ObjectWriter
    private let limits: CacheLimits

    /// How many bytes have been appended.
    public private(set) var byteCount: UInt64 = 0

    init(folder: ObjectFolder, limits: CacheLimits, durability: Durability) throws(FileCacheError) {
        self.limits = limits
        object = try ObjectWriter(folder: folder, durability: durability)
    }

    /// Appends bytes.
    ///
    /// - Throws: `tooLarge`, `full`, `ioFailed`. After an error the writer can only be dropped.
    public func append(_ bytes: [UInt8]) throws(FileCacheError) {
        byteCount += UInt64(bytes.count)
        guard byteCount <= limits.objectByteCount else {
            throw FileCacheError(.tooLarge, "the value has more than \(limits.objectByteCount) bytes: ask the source for less")
        }
        try object.append(bytes[...])
    }

    /// Ends the value and adds it to the cache.
    public func finish() throws(FileCacheError) -> ObjectReference {
        let digest = try object.finish(ObjectHead(kind: .bytes, contentByteCount: byteCount, itemCount: 0))
        return ObjectReference(digest: digest, byteCount: byteCount, itemCount: 0)
    }
}
