//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

extension FileCache {
    /// Makes the list that has one item more, at its end and of origin `manual`.
    ///
    /// If the list has an item with that id already, it is the result, unchanged: the second run of a job gives the same list.
    ///
    /// - Parameters:
    ///   - list: the list to start from; nil for an empty one.
    ///   - progress: called with the part done (0 to 1) once a block; answering false stops with `cancelled`.
    /// - Throws: `invalidItem`, `tooLarge`; `damaged`, `notFound` for `list`; `cancelled`; `full`, `notWritable`, `ioFailed`.
    public func create(
        _ item: ListItem, in list: ObjectDigest?, durability: Durability = .persistent,
        progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(FileCacheError) -> ObjectReference {
        var current: ListReader?
        if let list { current = try openList(list) }
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
    public func update(
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
    public func merge(
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
