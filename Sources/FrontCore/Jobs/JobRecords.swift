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
    var terms = Interner(blank: JobTerms())

    /// Counts a use of terms in; their index.
    mutating func addTerms(_ value: JobTerms) -> Int { terms.add(value, byteCount: value.byteCount) }

    /// Forgets a job with all that only it refers to.
    mutating func remove(_ id: UInt64) {
        arena.release(slab[id].blob)
        leaveNames(id)
        slab.remove(id)
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

    /// Moves the blobs of some jobs together while much of their memory is dead, from one job on; `next` is where to go on.
    /// - Parameter count: How many jobs are looked at, or a chunk more.
    /// - Returns: what it has cost in steps: one for each job and for each page of bytes.
    mutating func compactBlobs(from next: inout UInt64, lookingAt count: Int) -> Int {
        var (looked, moved) = (0, 0)
        while arena.isSparse, looked < count, moved < Self.movedByteCount {
            let (ids, following) = slab.ids(from: next, chunkLimit: 1)
            next = following ?? 0
            looked += 1
            for id in ids {
                guard moved < Self.movedByteCount else {
                    next = id
                    break
                }
                let blob = arena.moved(slab[id].blob)
                if blob.chunk != slab[id].blob.chunk { moved += Int(blob.byteCount) }
                slab[id].blob = blob
                looked += 1
            }
            // The next call begins at the first job again.
            if next == 0 { break }
        }
        return looked + moved / Self.stepByteCount
    }
}
