//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
