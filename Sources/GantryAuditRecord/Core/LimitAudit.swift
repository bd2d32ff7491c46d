//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// What the records say of each limit and value: the most that really ran at once and what the limit allowed then, and the attempts of each rate.
package struct LimitAudit: Sendable {
    /// Whether a limit was passed.
    package enum State: String, Hashable, Sendable, CaseIterable, Comparable {
        /// At no time more ran than it allowed, and no attempt came too early.
        case held
        /// Perhaps: more may have run than it allowed, if runs that nobody closed went on until their leases were over.
        case unsure
        /// More ran than it allowed, or attempts came too early.
        case passed

        package static func < (left: State, right: State) -> Bool { left.order < right.order }

        private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// From when to when it looks, in nanoseconds since 1970.
    package let from: Int64
    package let to: Int64
    /// Each limit with each of its values that a run within that time counts in, in order.
    package private(set) var values: [AuditedValue] = []
    /// All runs, also those of before.
    package let all: [AuditedRun]

    /// Looks at runs.
    /// - Parameter limit: the one that is looked at; nil: all.
    package init(_ all: [AuditedRun], of limit: String? = nil, from: Int64, to: Int64) {
        (self.from, self.to) = (from, to)
        self.all = all
        var uses: [LimitKey: [AuditedUse]] = [:]
        // Runs of before do not run any more; what they have taken of a bucket may be missing still.
        for (index, run) in all.enumerated() {
            for (key, use) in AuditedUse.uses(of: run, at: index) where limit.map({ $0 == key.limit }) ?? true {
                uses[key, default: []].append(use)
            }
        }
        let fronts = FrontOrder(all)
        for key in uses.keys.sorted(by: { ($0.limit, $0.value) < ($1.limit, $1.value) }) {
            guard let own = uses[key], own.contains(where: { all[$0.run].end >= from && all[$0.run].start <= to }) else { continue }
            values.append(AuditedValue(key, own, of: all, fronts, from: from, to: to))
        }
    }

    /// The worst of all.
    package var state: State { values.map(\.state).max() ?? .held }

    /// Runs within the time of which nobody knows how they ended.
    package var unclosed: [AuditedRun] { all.filter { $0.ending == .unclosed && $0.start <= to && $0.end >= from } }
}

/// What a run takes of one limit with one value.
struct AuditedUse: Sendable {
    /// Its index among all runs.
    let run: Int
    /// The lease of its job that was granted last, and the front of that.
    var lease: LeaseID
    var front: FrontID
    /// What the limit allowed at that grant; nil: not known.
    var rule: LimitRule?
    /// Permits: jobs that run one after another take the most of any.
    var weight: Int
    /// Its jobs, each with a token.
    var starts: [(start: RecordedStart, limit: GrantedLimit)]

    static func uses(of run: AuditedRun, at index: Int) -> [LimitKey: AuditedUse] {
        var uses: [LimitKey: AuditedUse] = [:]
        for start in run.starts {
            for limit in start.limited.limits {
                var use =
                    uses[limit.key]
                    ?? AuditedUse(run: index, lease: .none, front: start.limited.front, rule: limit.rule, weight: 0, starts: [])
                if start.limited.lease >= use.lease { (use.lease, use.rule) = (start.limited.lease, limit.rule) }
                use.weight = max(use.weight, Int(limit.weight))
                use.starts.append((start, limit))
                uses[limit.key] = use
            }
        }
        return uses
    }
}

/// Which front granted before which: leases are compared within one.
struct FrontOrder {
    private var ranks: [FrontID: Int] = [:]

    init(_ runs: [AuditedRun]) {
        for run in runs {
            for start in run.starts where ranks[start.limited.front] == nil { ranks[start.limited.front] = ranks.count }
        }
    }

    /// What is greater of a later grant.
    func key(_ front: FrontID, _ lease: LeaseID) -> GrantKey { GrantKey(front: ranks[front] ?? 0, lease: lease) }
}

/// Where a grant stands among all.
struct GrantKey: Hashable, Comparable {
    let front: Int
    let lease: LeaseID

    static func < (left: GrantKey, right: GrantKey) -> Bool { (left.front, left.lease) < (right.front, right.lease) }
}
