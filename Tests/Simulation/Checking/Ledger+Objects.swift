//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What is named stays: collection takes only what no feed, view or pending job names.
extension Ledger {
    /// A run has made an object.
    func made(_ object: ObjectReference) { objects[object.digest] = world.wall }

    /// The content of some feed, or those of a few: at most one for each feed.
    func anyContents(_ random: inout SplitMix64, several: Bool) -> ArraySlice<ObjectDigest> {
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

/// Saves, and the lists that they are in: what was saved is in a list from then on, whatever is loaded, merged or saved after it.
struct SaveWatch {
    /// The markers of saves by their jobs.
    typealias Saves = [UInt64: UInt64]

    /// What is in each list: the disk of the world, where lists are but digests.
    private var lists: [ObjectDigest: Saves] = [:]
    /// Lists that turned out damaged.
    private var damaged: Set<ObjectDigest> = []
    /// What clients were told to be accepted.
    private var received: Saves = [:]
    /// The feed of each save.
    private var keys: [UInt64: FeedKey] = [:]
    /// Saves of each feed that have succeeded and were not taken back.
    private var due: [FeedKey: Set<UInt64>] = [:]
    private var contents: [FeedKey: ObjectDigest] = [:]

    /// A run has made a list out of another.
    mutating func make(_ list: ObjectDigest, from base: ObjectDigest?, adding save: (job: UInt64, marker: UInt64)?) {
        var saves = base.flatMap { lists[$0] } ?? [:]
        if let save { saves[save.job] = save.marker }
        lists[list] = saves
    }

    mutating func noteDamage(of list: ObjectDigest) { damaged.insert(list) }

    /// A client was told that a save is accepted.
    mutating func accept(_ job: JobID, marker: UInt64) { received[job.rawValue] = marker }

    /// An entry is durable.
    mutating func take(_ entry: JournalEntry) {
        if case .feedJobAccepted(let job) = entry, job.operation == .create || job.operation == .update { keys[job.job.rawValue] = job.key }
        if case .feedChanged(let changed) = entry { take(changed.state) }
        guard case .ended(let ended) = entry else { return }
        for (id, state) in zip(ended.jobs, ended.states) where state == .succeeded {
            if let key = keys[id] { due[key, default: []].insert(id) }
        }
    }

    private mutating func take(_ feed: FeedState) {
        let (old, new) = (contents[feed.key], feed.content?.object.digest)
        guard old != new else { return }
        contents[feed.key] = new
        // A reset takes all away, and so does damage without an older version; with one what that has is left.
        guard let new else { return due[feed.key] = [] }
        if let old, damaged.contains(old) { due[feed.key]?.formIntersection((lists[new] ?? [:]).keys) }
    }

    /// What is missing in the lists of today; nil: nothing.
    func missing(_ content: (FeedKey) -> ObjectDigest?) -> String? {
        for key in Feeds.keys {
            let list = content(key).flatMap { lists[$0] } ?? [:]
            for job in due[key, default: []].sorted() {
                guard let marker = list[job] else { return "save \(job) of \(key) succeeded and is not in its list" }
                if let asked = received[job], asked != marker {
                    return "save \(job) of \(key) is \(marker) in its list, asked for was \(asked)"
                }
            }
        }
        return nil
    }
}
