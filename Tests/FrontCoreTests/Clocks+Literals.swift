//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

@testable import FrontCore

// Tests name what the clocks show by its number.

extension LengthTime: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int64) { self.init(milliseconds: value) }
}

extension RankTime: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int64) { self.init(milliseconds: value) }
}

extension Rank: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int64) { self.init(milliseconds: value) }

    /// What comes before it in line by so many milliseconds.
    func earlier(by milliseconds: Int64) -> Rank { Rank(milliseconds: self.milliseconds - milliseconds) }
}

extension JobRecord {
    /// A job of no loader that was accepted at no time.
    init(id: UInt64, rank: Rank = 0) { self.init(id: id, rank: rank, acceptedAt: WallTime(milliseconds: 0), loader: 0) }
}
