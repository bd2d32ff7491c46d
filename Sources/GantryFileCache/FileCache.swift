//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform

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
    package let limits: CacheLimits

    /// Opens the folder, making it (0700) and what is missing above it; a front and its workers may do so at the same time.
    ///
    /// - Parameters:
    ///   - root: path of the objects folder, for example `DATA/objects`.
    ///   - note: path of the file in which a front notes which folder is the right one; nil: the one that is there is, and it gets an `.id` if it
    ///     has none.
    ///   - limits: the bounds of what is added.
    /// - Throws: `notWritable` or `notReadable` with the next step; `away` when a link leads to no folder; `full`, `exhausted`, `ioFailed`.
    package init(root: String, note: String? = nil, limits: CacheLimits = CacheLimits()) throws(FileCacheError) {
        self.limits = limits
        folder = try ObjectFolder(path: root, note: note, limits: limits)
    }

    /// Opens the cache of a front by the front's data folder, as its workers do.
    ///
    /// - Parameter data: the folder that `--data` names, for example `/var/lib/gantry`.
    /// - Throws: as the other initializer.
    public convenience init(ofFront data: String) throws(FileCacheError) { try self.init(ofFront: data, limits: CacheLimits()) }

    /// The same with other bounds of what is added.
    package convenience init(ofFront data: String, limits: CacheLimits) throws(FileCacheError) {
        try self.init(root: Self.root(ofFront: data), note: Self.note(ofFront: data), limits: limits)
    }

    /// The objects folder in the data folder of a front.
    package static func root(ofFront data: String) -> String { data + "/objects" }

    /// Where a front notes which objects folder is the right one: with what names the objects.
    package static func note(ofFront data: String) -> String { data + "/journal/objects.id" }

    /// Begins a list.
    ///
    /// - Throws: `notWritable`, `full`, `ioFailed`.
    package func makeListWriter(durability: Durability) throws(FileCacheError) -> ListWriter {
        try ListWriter(folder: folder, limits: limits, durability: durability)
    }

    /// Begins a value of plain bytes.
    ///
    /// - Throws: `notWritable`, `full`, `ioFailed`.
    package func makeBytesWriter(durability: Durability) throws(FileCacheError) -> BytesWriter {
        try BytesWriter(folder: folder, limits: limits, durability: durability)
    }

    /// Adds a value of plain bytes at once.
    ///
    /// - Throws: `tooLarge`, `notWritable`, `full`, `ioFailed`.
    package func add(_ bytes: [UInt8], durability: Durability) throws(FileCacheError) -> ObjectReference {
        let writer = try makeBytesWriter(durability: durability)
        try writer.append(bytes)
        return try writer.finish()
    }

    /// Opens a list.
    ///
    /// - Throws: `notFound`, `damaged`, `mismatch` for an object of another kind.
    package func openList(_ digest: ObjectDigest) throws(FileCacheError) -> ListReader { try ListReader(folder: folder, digest: digest) }

    /// Opens an order.
    ///
    /// - Throws: `notFound`, `damaged`, `mismatch` for an object of another kind.
    package func openOrder(_ digest: ObjectDigest) throws(FileCacheError) -> OrderReader { try OrderReader(folder: folder, digest: digest) }

    /// The whole of a value of plain bytes.
    ///
    /// - Parameter limit: most bytes to hold in memory.
    /// - Throws: `tooLarge` when it has more than `limit` bytes; `notFound`, `damaged`, `mismatch`.
    package func readBytes(_ digest: ObjectDigest, limit: Int) throws(FileCacheError) -> [UInt8] {
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
    package func readPart(
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
    package static func foldersInPlaceOfObjects(at root: String) throws(FileCacheError) -> [String] {
        do throws(SystemError) { return try ObjectFolder.foldersInPlaceOfObjects(at: root) } catch { throw .reading(error) }
    }

    /// All objects of a cache, by name; nothing is changed or read but their folders. None where there is no cache.
    ///
    /// - Throws: `notReadable`, `ioFailed`, `exhausted`.
    /// - Complexity: looks at each object.
    package static func objects(at root: String) throws(FileCacheError) -> [StoredObject] {
        do throws(SystemError) { return try ObjectFolder.objects(at: root) } catch { throw .reading(error) }
    }

    /// Opens the object anew, reads all of it and proves every block.
    ///
    /// - Parameter progress: called with the part done (0 to 1) once a block; answering false stops with `cancelled`.
    /// - Returns: its name and sizes.
    /// - Throws: `notFound`; `damaged` or `ioFailed` naming the first block that fails; `cancelled`.
    @discardableResult
    package func verify(
        _ digest: ObjectDigest, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        let object = try ObjectReader(folder: folder, digest: digest, kind: nil)
        try object.verify(WorkMeter(progress))
        return object.reference
    }
}

extension FileCache {
    /// Finds out which folder is the right one and notes it. For the front alone, before anybody adds.
    ///
    /// The first time it is the one that is there, and it gets an `.id` if it has none. Later it is the one that was noted; another takes its place
    /// only while nothing can get lost by that. Else everything fails with `away` until the right one is back, and then goes on by itself.
    ///
    /// - Parameter keepsLists: whether kept objects are named.
    /// - Returns: what is to be told to people, if anything.
    /// - Throws: `away` with the next step when the folder is not the right one.
    package func establish(keepsLists: Bool) throws(FileCacheError) -> String? { try folder.establish(keepsLists: keepsLists) }

    /// Has the disk itself say whether the folder is there, is the right one and can be read: who has failed at one object then knows that it is
    /// this one.
    ///
    /// - Throws: `away`, `notReadable`, `ioFailed`.
    package func checkFolder() throws(FileCacheError) { try folder.root(fromDisk: true) }

    /// Looks, changing nothing, why a front could not use the folder that it has noted, or where it has noted none the one that is there; nil: it could.
    package static func fault(root: String, note: String) -> FileCacheError? { FolderIdentity.fault(of: root, note: note) }

    /// When the file of an object was last written; nil where that cannot be told. Who finds wrong bytes at two instants has met a file on its way.
    package func writtenAt(_ digest: ObjectDigest) -> WallTime? {
        guard let nanoseconds = try? folder.open(digest).file.status().modifiedNanoseconds else { return nil }
        return WallTime(milliseconds: nanoseconds / 1_000_000)
    }
}

extension FileCache {
    /// Removes objects that nobody names and that are older than a bound, and temporary files of writers that died.
    ///
    /// Readers that have an object open keep reading it. Writers that are putting an object in place are never waited for: what would
    /// need that is left for the next collection.
    ///
    /// - Parameters:
    ///   - named: the objects that durable or pending state names.
    ///   - bound: only objects last added or renewed before this instant (by the file system's clock) are removed.
    ///   - goesOn: asked before each folder of names, one in 256 of all objects; answering false stops with `cancelled`.
    /// - Throws: `away`, `notWritable`, `notReadable`, `ioFailed`, `cancelled`; what was removed before stays removed.
    /// - Complexity: memory for the names of one folder.
    package func collect(
        keeping named: Set<ObjectDigest>, olderThan bound: WallTime, goesOn: @escaping () -> Bool = { true }
    ) throws(FileCacheError) -> CollectionReport {
        try folder.collect(keeping: named, olderThan: bound, WorkMeter { _ in goesOn() })
    }

    /// Bytes of the files of all objects. What comes or goes meanwhile may be in it or not.
    ///
    /// - Throws: `away`, `notReadable`, `ioFailed`.
    /// - Complexity: looks at each object; memory for the names of one folder.
    package func byteCount() throws(FileCacheError) -> UInt64 { try folder.byteCount() }
}

extension FileCache {
    /// Makes an order of a list: sorted, filtered, or both.
    ///
    /// Text sorts by its NFC lower-cased code points, numbers and dates by value; a field with values of several types has truth values first,
    /// then numbers, dates and texts. Missing values come last in both directions. Ties go by creation date (missing last), then by the id's
    /// UTF-8 bytes, ascending in both directions. The same list, order and filter always give the same object.
    ///
    /// - Parameters:
    ///   - list: the list to order.
    ///   - order: by what; nil keeps the list's own order.
    ///   - filter: text that the title or a text field must contain, compared like sorted text; empty keeps all items.
    ///   - durability: of the order; it can always be made again.
    ///   - progress: called with the part done (0 to 1) every few thousand items; answering false stops with `cancelled`.
    /// - Throws: `cancelled`; `damaged` when the list is; `full`, `notWritable`, `ioFailed`.
    /// - Complexity: O(n log n) time; memory within `CacheLimits.sortByteCount` and a few hundred KiB, whatever the list's size.
    package func sort(
        _ list: ListReader, by order: SortOrder?, filter: String = "", durability: Durability = .cached,
        progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        let meter = WorkMeter(progress)
        var writer = try OrderWriter(folder: folder, list: list.digest, durability: durability, meter)
        var sorter = ListSorter(list: list, order: order, filter: filter, limits: limits, folder: folder, meter: meter)
        try sorter.sort(into: &writer)
        return try writer.finish()
    }
}

extension FileCache {
    /// Makes the list that has one item more, at its end and of origin `manual`.
    ///
    /// If the list has an item with that id already, it is the result, unchanged: the second run of a job gives the same list.
    ///
    /// - Parameters:
    ///   - list: the list to start from; nil for an empty one.
    ///   - progress: called with the part done (0 to 1) once a block; answering false stops with `cancelled`.
    /// - Throws: `invalidItem`, `tooLarge`; `damaged`, `notFound` for `list`; `cancelled`; `full`, `notWritable`, `ioFailed`.
    package func create(
        _ item: ListItem, in list: ObjectDigest?, durability: Durability = .persistent,
        progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        var current: ListReader?
        if let list { current = try openList(list) }
        // The id is that of the job, so an item with it is from an earlier run of the same job.
        if let current, try current.index(ofID: item.id) != nil { return current.reference }
        var made = item
        made.origin = .manual
        if let current {
            let meter = WorkMeter(progress)
            return try ListChange(current, folder: folder, limits: limits, durability: durability, meter).appending(made)
        }
        let writer = try makeListWriter(durability: durability)
        try writer.append(made)
        return try writer.finish(progress: progress)
    }

    /// Makes the list in which the item with `item`'s id is replaced, at its place.
    ///
    /// The origin becomes `edited`, or stays `manual`; a missing creation date is taken from the replaced item.
    ///
    /// - Throws: `unknownItem` when the list has no such id; otherwise as `create`.
    package func update(
        _ item: ListItem, in list: ObjectDigest, durability: Durability = .persistent,
        progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        let reader = try openList(list)
        guard let position = try reader.index(ofID: item.id) else {
            throw FileCacheError(.unknownItem, "the list has no item \"\(item.id.prefix(60))\": load it again", digest: list)
        }
        let old = try reader.encodedItem(at: position)
        var changed = item
        changed.origin = old.origin == .manual ? .manual : .edited
        changed.createdAt = item.createdAt ?? old.createdAt.map { WallTime(milliseconds: $0) }
        let meter = WorkMeter(progress)
        return try ListChange(reader, folder: folder, limits: limits, durability: durability, meter).replacing(position, with: changed)
    }

    /// Merges what a source gave into an editable list, by id.
    ///
    /// The result has the source's items in the source's order, but the hand's version of each item that was changed or made by hand; behind
    /// them come, in their old order, the items changed or made by hand that the source does not have. Other items that the source no longer
    /// has are gone. A source item without creation date keeps the date it had in the list, or gets `firstSeen`. Merging the same source
    /// again gives the same list.
    ///
    /// - Parameters:
    ///   - source: the fetched list.
    ///   - list: the editable list; nil for an empty one.
    ///   - firstSeen: creation date of new items that bring none, usually the job's acceptance.
    ///   - progress: called with the part done (0 to 1) every few thousand items; answering false stops with `cancelled`.
    /// - Throws: `damaged`, `notFound` for either list; `cancelled`; `full`, `notWritable`, `ioFailed`.
    package func merge(
        source: ObjectDigest, into list: ObjectDigest?, firstSeen: WallTime, durability: Durability = .persistent,
        progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        let incoming = try openList(source)
        var current: ListReader?
        if let list { current = try openList(list) }
        let meter = WorkMeter(progress)
        var merge = try ListMerge(
            source: incoming, list: current, firstSeen: firstSeen, limits: limits,
            object: ObjectWriter(folder: folder, durability: durability, meter: meter), meter: meter)
        return try merge.run()
    }
}
