//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// Workers that offer the same loaders in the same way: to a job each of them is as good as another, save for its load.
///
/// It has one heap of loaders whose jobs wait for any of them and one of members with room, so that a place that becomes free wakes the first of
/// a thousand loaders and looks at no other.
struct WorkerPool {
    /// What makes workers alike.
    struct Key: Hashable {
        var kind: WorkerRoom.Kind
        /// Indexes of the loaders' names, ascending.
        var loaders: [Int]
    }

    /// The order in which members get jobs: by load, then by index.
    struct Turn: Comparable {
        var load: Int
        var worker: Int

        static func < (one: Turn, two: Turn) -> Bool { one.load != two.load ? one.load < two.load : one.worker < two.worker }
    }

    let key: Key
    /// Indexes of the workers, ascending.
    private(set) var members: [Int] = []
    /// Members with room for a job.
    var roomy = IndexedHeap<Turn>()
    /// Those of them that hold nothing.
    var idle = IndexedHeap<Turn>()
    /// Loaders whose jobs wait for a member, by the first of them.
    var waiting = IndexedHeap<RankKey>()
    /// The same for suspected jobs.
    var suspects = IndexedHeap<RankKey>()
    /// Members that offer what they do to whoever waits, and the slots of those.
    var offering = 0
    var slotsOffered = 0
    /// Members that run a suspected job.
    var alone = 0
    /// How suspected jobs and others take turns here.
    var share = SuspectShare()

    init(_ key: Key) { self.key = key }

    mutating func join(_ worker: Int) { members.insert(worker, at: members.firstIndex { $0 > worker } ?? members.count) }

    mutating func leave(_ worker: Int) { members.removeAll { $0 == worker } }
}
