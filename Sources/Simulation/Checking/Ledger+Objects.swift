//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is named stays: collection takes only what no feed, view or pending job names.
extension Ledger {
    /// A run has made an object.
    func made(_ object: ObjectReference) { objects[object.digest] = world.wall }

    /// The content of some feed, or those of a few: at most one for each feed.
    func anyContents(_ random: inout Random, several: Bool) -> ArraySlice<ObjectDigest> {
        let contents = durable.lastFeeds.values.compactMap { $0.content?.object.digest }
            .sorted { ($0.words.0, $0.words.2) < ($1.words.0, $1.words.2) }
        guard !contents.isEmpty else { return [] }
        let first = random.below(contents.count)
        return contents[first..<min(first + (several ? 3 : 1), contents.count)]
    }

    /// The front has said what collection is to spare: the rest goes if it is old enough.
    func collect(keeping named: Set<ObjectDigest>, olderThan bound: WallTime) {
        let orphans = objects.filter { $0.value < bound && !named.contains($0.key) }.keys
        for digest in orphans.sorted(by: { ($0.words.0, $0.words.2) < ($1.words.0, $1.words.2) }) {
            world.count(.objectCollected)
            world.note("object \(digest) of run \(digest.words.0) is collected")
            objects[digest] = nil
            collected.insert(digest)
            if durable.names(digest) { world.violate(.objectsStay, "object \(digest) of run \(digest.words.0) is named and collected") }
        }
    }

    /// A durable entry names objects: all of them must still be there.
    func checkObjects(of entry: JournalEntry) {
        for digest in entry.objects where collected.contains(digest) {
            world.violate(.objectsStay, "object \(digest) of run \(digest.words.0) was collected before it was named by \(entry)")
        }
    }
}

extension DurableEntries {
    /// Whether the present state of some feed or view names an object.
    func names(_ digest: ObjectDigest) -> Bool {
        if lastFeeds.values.contains(where: { $0.content?.object.digest == digest }) { return true }
        return lastViews.values.contains { views in views.values.contains { $0.objects.contains(digest) } }
    }
}

extension ViewState {
    /// The objects that it names.
    fileprivate var objects: [ObjectDigest] {
        var digests: [ObjectDigest] = []
        if let revision { digests = [revision.content.digest] + (revision.order.map { [$0.digest] } ?? []) }
        if case .stored(let object) = detail { digests.append(object.digest) }
        return digests
    }
}

extension JournalEntry {
    /// The objects that it names.
    fileprivate var objects: [ObjectDigest] {
        if case .feedChanged(let changed) = self { return changed.state.content.map { [$0.object.digest] } ?? [] }
        if case .viewChanged(let changed) = self { return changed.view.objects }
        return []
    }
}
