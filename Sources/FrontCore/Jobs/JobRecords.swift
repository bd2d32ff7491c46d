//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The records of all jobs with what they refer to: arguments and results, the names of loaders, who asked and how they are run.
struct JobRecords {
    var slab = JobSlab()
    var arena = BlobArena()
    /// Names of loaders that are in use.
    var loaderNames = LoaderNames()
    /// Who asked for jobs that are known, and how they are run.
    var terms = TermsTable()
    /// The job from which on blobs are moved together next.
    private var compactedTo: UInt64 = 0
    /// Jobs that had ended when that was done last.
    private var endedBefore: UInt64 = 0

    /// Counts a use of terms in; their index.
    mutating func addTerms(_ value: JobTerms) -> Int { terms.add(value) }

    /// The index of the label of who asked for a job.
    func client(of id: UInt64) -> UInt32 { terms.client(of: Int(slab[id].terms)) }

    /// A job is run in another way; who asked for it stays the same.
    mutating func changeTerms(_ change: Fact.TermsChanged) {
        let id = change.job.rawValue
        let old = Int(slab[id].terms)
        let new = addTerms(JobTerms(client: terms[old].client, options: change.options))
        (slab[id].terms, slab[id].rank) = (UInt32(new), change.rank)
        terms.change(at: old, by: -1)
    }

    /// Forgets a job with all that only it refers to.
    mutating func remove(_ id: UInt64) {
        arena.release(slab[id].blob)
        leaveNames(id)
        slab.remove(id)
    }

    /// The names of what a checkpoint stored together: where each is, in use until the jobs are in.
    struct StoredNames {
        let loaders: [Int]
        let terms: [Int]
    }

    /// Counts one use of each name in that stored jobs have.
    mutating func addNames(of stored: Fact.StoredJobs) -> StoredNames {
        StoredNames(loaders: stored.loaders.map { loaderNames.addJob($0) }, terms: stored.terms.map { addTerms($0) })
    }

    /// Counts those uses out.
    mutating func leaveNames(_ names: StoredNames) {
        for index in names.loaders { loaderNames.changeJobs(at: index, by: -1) }
        for index in names.terms { terms.change(at: index, by: -1) }
    }

    /// A job is as a checkpoint has stored it, whether it was known or not.
    mutating func take(_ stored: Fact.StoredJobs, at index: Int, _ range: Range<Int>, _ names: StoredNames, turn: UInt64) {
        let id = stored.jobs[index]
        let loader = names.loaders[Int(stored.loaderIndexes[index])]
        let term = names.terms[Int(stored.termIndexes[index])]
        loaderNames.changeJobs(at: loader, by: 1)
        terms.change(at: term, by: 1)
        if slab.contains(id) {
            arena.release(slab[id].blob)
            leaveNames(stored.jobs[index])
        } else {
            var record = JobRecord()
            record.id = id
            slab.insert(record)
        }
        slab[id].take(stored, at: index, loader: loader, terms: term, blob: arena.store(stored.payloads.bytes, range), turn: turn)
    }

    /// A job's loader and terms are used by it no longer.
    mutating func leaveNames(_ id: UInt64) {
        loaderNames.changeJobs(at: Int(slab[id].loader), by: -1)
        terms.change(at: Int(slab[id].terms), by: -1)
    }

    /// Bytes of blobs that one call moves, about.
    private static let movedByteCount = 1 << 20
    /// Bytes that are moved in a microsecond or less, as a step is.
    private static let stepByteCount = 4_096

    /// Jobs whose blobs one call looks at: at least those of a chunk, at most what takes a few milliseconds.
    private static let (leastCompacted, mostCompacted) = (UInt64(256), UInt64(8_192))

    /// Moves blobs of as many jobs together as have ended since the last call, within bounds.
    /// - Parameter ended: How many have in all.
    /// - Returns: what it has cost in steps.
    mutating func compactBlobs(ended: UInt64) -> Int {
        let count = min(max(ended, endedBefore) - endedBefore, Self.mostCompacted)
        endedBefore = ended
        return compactBlobs(lookingAt: Int(max(count, Self.leastCompacted)))
    }

    /// Moves the blobs of some jobs together while much of their memory is dead, from where the last call ended.
    /// - Parameter count: How many jobs are looked at, or a chunk more.
    /// - Returns: what it has cost in steps: one for each job and for each page of bytes.
    mutating func compactBlobs(lookingAt count: Int) -> Int {
        var (looked, moved) = (0, 0)
        while arena.isSparse, looked < count, moved < Self.movedByteCount {
            let (ids, following) = slab.ids(from: compactedTo, chunkLimit: 1)
            compactedTo = following ?? 0
            looked += 1
            for id in ids {
                guard moved < Self.movedByteCount else {
                    compactedTo = id
                    break
                }
                let blob = arena.moved(slab[id].blob)
                if blob.chunk != slab[id].blob.chunk { moved += Int(blob.byteCount) }
                slab[id].blob = blob
                looked += 1
            }
            // The next call begins at the first job again.
            if compactedTo == 0 { break }
        }
        return looked + moved / Self.stepByteCount
    }
}
