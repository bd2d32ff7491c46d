//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a job stands among others: by rank, and among equal ranks by its number, so that no two are alike.
struct RankKey: Comparable, Hashable {
    var rank: Int64
    var id: UInt64

    static func < (one: RankKey, two: RankKey) -> Bool { one.rank != two.rank ? one.rank < two.rank : one.id < two.id }
}

extension JobSlab {
    /// Where a job belongs in its lane.
    func key(of id: UInt64) -> RankKey { RankKey(rank: self[id].rank, id: id) }
}
