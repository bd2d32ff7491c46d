//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model
import Platform

/// The shared folder of immutable objects: workers add, everybody reads, one process collects.
///
/// Any number of processes may use one folder at a time. Names are digests and never come from user text; all files are opened beneath the
/// folder without following links. All calls block; call them from a thread that may wait. Instances may be shared between threads.
///
/// The folder is the one that has the path at the moment of a call. While none has it, or one that is not the right one by its `.id`, reading,
/// adding and collecting fail with `away`.
public final class FileCache: Sendable {
    let folder: ObjectFolder

    /// The bounds that writers of this cache keep.
    public let limits: CacheLimits

    /// Opens the folder, making it (0700) and what is missing above it; a front and its workers may do so at the same time.
    ///
    /// - Parameters:
    ///   - root: path of the objects folder, for example `DATA/objects`.
    ///   - note: path of the file in which a front notes which folder is the right one; nil: the one that is there is, and it gets an `.id` if it
    ///     has none.
    ///   - limits: the bounds of what is added.
    /// - Throws: `notWritable` or `notReadable` with the next step; `away` when a link leads to no folder; `full`, `exhausted`, `ioFailed`.
    public init(root: String, note: String? = nil, limits: CacheLimits = CacheLimits()) throws(FileCacheError) {
        self.limits = limits
        folder = try ObjectFolder(path: root, note: note, limits: limits)
    }

    /// Begins a list.
    ///
    /// - Throws: `notWritable`, `full`, `ioFailed`.
    public func makeListWriter(durability: Durability) throws(FileCacheError) -> ListWriter {
        try ListWriter(folder: folder, limits: limits, durability: durability)
    }

    /// Begins a value of plain bytes.
    ///
    /// - Throws: `notWritable`, `full`, `ioFailed`.
    public func makeBytesWriter(durability: Durability) throws(FileCacheError) -> BytesWriter {
        try BytesWriter(folder: folder, limits: limits, durability: durability)
    }

    /// Adds a value of plain bytes at once.
    ///
    /// - Throws: `tooLarge`, `notWritable`, `full`, `ioFailed`.
    public func add(_ bytes: [UInt8], durability: Durability) throws(FileCacheError) -> ObjectReference {
        let writer = try makeBytesWriter(durability: durability)
        try writer.append(bytes)
        return try writer.finish()
    }

    /// Opens a list.
    ///
    /// - Throws: `notFound`, `damaged`, `mismatch` for an object of another kind.
    public func openList(_ digest: ObjectDigest) throws(FileCacheError) -> ListReader { try ListReader(folder: folder, digest: digest) }

    /// Opens an order.
    ///
    /// - Throws: `notFound`, `damaged`, `mismatch` for an object of another kind.
    public func openOrder(_ digest: ObjectDigest) throws(FileCacheError) -> OrderReader { try OrderReader(folder: folder, digest: digest) }

    /// The whole of a value of plain bytes.
    ///
    /// - Parameter limit: most bytes to hold in memory.
    /// - Throws: `tooLarge` when it has more than `limit` bytes; `notFound`, `damaged`, `mismatch`.
    public func readBytes(_ digest: ObjectDigest, limit: Int) throws(FileCacheError) -> [UInt8] {
        let object = try ObjectReader(folder: folder, digest: digest, kind: .bytes)
        guard object.head.contentByteCount <= UInt64(max(limit, 0)) else {
            throw FileCacheError(
                .tooLarge, "the value has \(object.head.contentByteCount) bytes (limit \(limit)): read it in parts", digest: digest)
        }
        return try object.read(at: 0, count: Int(object.head.contentByteCount))
    }

    /// A part of a value of plain bytes, shorter at its end, empty past it; and how many bytes the value has in all.
    ///
    /// - Throws: `notFound`, `damaged`, `mismatch`.
    public func readPart(
        _ digest: ObjectDigest, offset: UInt64, count: Int
    ) throws(FileCacheError) -> (bytes: [UInt8], byteCount: UInt64) {
        let object = try ObjectReader(folder: folder, digest: digest, kind: .bytes)
        let byteCount = object.head.contentByteCount
        guard offset < byteCount, count > 0 else { return ([], byteCount) }
        return (try object.read(at: offset, count: Int(min(UInt64(count), byteCount - offset))), byteCount)
    }

    /// Folders that stand where the file of an object belongs, by path, in order: no object can be added or read there. None where there is no cache.
    ///
    /// - Throws: `notReadable`, `ioFailed`, `exhausted`.
    public static func foldersInPlaceOfObjects(at root: String) throws(FileCacheError) -> [String] {
        do throws(SystemError) { return try ObjectFolder.foldersInPlaceOfObjects(at: root) } catch { throw .reading(error) }
    }

    /// Opens the object anew, reads all of it and proves every block.
    ///
    /// - Parameter progress: called with the part done (0 to 1) once a block; answering false stops with `cancelled`.
    /// - Returns: its name and sizes.
    /// - Throws: `notFound`; `damaged` or `ioFailed` naming the first block that fails; `cancelled`.
    @discardableResult
    public func verify(
        _ digest: ObjectDigest, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        let object = try ObjectReader(folder: folder, digest: digest, kind: nil)
        try object.verify(WorkMeter(progress))
        return object.reference
    }
}
