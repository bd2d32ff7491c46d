//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A limit that a job counts in, as it is at the job's grant.
package struct GrantedLimit: Hashable, Sendable {
    /// The limit, with the value that the job counts for.
    package var key: LimitKey
    /// What it allows; nil: not known, because the grant is sent once more.
    package var rule: LimitRule?
    /// How many permits the job takes of it.
    package var weight: UInt32
    /// The first lease since it has a rate: by another one its tokens were counted anew.
    package var ratedFrom: UInt64

    /// A limit with what it allows.
    package init(_ key: LimitKey, _ rule: LimitRule?, weight: UInt32 = 1, ratedFrom: UInt64 = 0) {
        (self.key, self.rule, self.weight, self.ratedFrom) = (key, rule, weight, ratedFrom)
    }
}

/// What a worker writes down of a job with limits before it runs.
package struct LimitedRun: Hashable, Sendable {
    /// The lease of its grant: of two runs the one with the greater lease of a front was granted later.
    package var lease: LeaseID
    /// Which front granted it.
    package var front: FrontID
    /// What it counts in.
    package var limits: [GrantedLimit]
    /// When it took its tokens, by that front's clock of lengths; 0: not known.
    package var takenAt: Int64

    /// A run under a lease.
    package init(lease: LeaseID, front: FrontID, limits: [GrantedLimit], takenAt: Int64) {
        (self.lease, self.front, self.limits, self.takenAt) = (lease, front, limits, takenAt)
    }
}
