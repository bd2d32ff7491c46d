//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontState {
    /// Every object that the shared state or a pending job names: collection must spare them.
    func namedObjects(at now: WallTime) -> Set<ObjectDigest> {
        var named = feeds.objectNames.objects
        for feed in feeds.all {
            for damaged in feed.sparedVersions(at: now) { named.insert(damaged.object) }
        }
        for (id, record) in jobs.keyLines.all where jobs.isAlive(id) {
            if let source = record.job.source { named.insert(source.digest) }
            if let content = record.granted?.content { named.insert(content.digest) }
        }
        return named
    }

    /// When the oldest running grant was made for the first time; nil: nothing runs. A worker that reregisters goes on with old work.
    var oldestGrant: WallTime? {
        // Held jobs stand in the order of their grants.
        workers.indices.compactMap { index in
            let held = jobs.held(by: index)
            return held.isEmpty ? nil : jobs[held.first].changedAt
        }
        .min().map { WallTime(milliseconds: $0) }
    }
}
