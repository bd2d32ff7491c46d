//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FileCache
import Model

extension ListWork {
    /// Gives the items of a fetched list that lack a creation date the one they had in the content, or the job's time.
    ///
    /// A content that is gone or damaged counts as none: it is being loaded again for that very reason.
    func dated(_ list: ObjectReference) throws(FileCacheError) -> ObjectReference {
        do {
            return try cache.merge(
                source: list.digest, into: work.content?.digest, firstSeen: work.acceptedAt, durability: .cached,
                progress: progress("merging"))
        } catch {
            // What the merged list cannot be put in place for says nothing of the content.
            let isOfContent = error.digest == nil || error.digest == work.content?.digest
            guard error.reportsDamage || error.code == .mismatch, isOfContent else { throw error }
            return try cache.merge(
                source: list.digest, into: nil, firstSeen: work.acceptedAt, durability: .cached, progress: progress("merging"))
        }
    }
}
