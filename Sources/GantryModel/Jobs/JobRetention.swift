//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension EndedKind {
    /// All of them, in the order in which they are bundled and looked for: those that are kept longer first. In that of `allCases` they make room, and a
    /// checkpoint lists them.
    package static let failedFirst: [Self] = allCases.reversed()

    /// The kind of a job that has ended so.
    package init(_ state: JobState) {
        switch state {
        case .failed, .quarantined: self = .failed
        case .cancelled, .expired: self = .cancelled
        case .waiting, .scheduled, .running, .cancelling, .succeeded: self = .succeeded
        }
    }
}

/// A value for each kind of ended job.
///
/// Whoever uses it can be compiled for the type that it holds: the front looks at several in each turn.
@usableFromInline
package struct ByEndedKind<Value> {
    @usableFromInline var succeeded: Value
    @usableFromInline var cancelled: Value
    @usableFromInline var failed: Value

    /// What a closure says of each kind.
    @inlinable package init(_ value: (EndedKind) -> Value) {
        (succeeded, cancelled, failed) = (value(.succeeded), value(.cancelled), value(.failed))
    }

    /// The same for each kind.
    @inlinable package init(repeating value: Value) { self.init { _ in value } }

    /// The value of a kind.
    ///
    /// It is copied, and not lent: each turn looks at several, and a coroutine that lends one takes memory from the heap.
    @inlinable package subscript(kind: EndedKind) -> Value {
        get {
            switch kind {
            case .succeeded: succeeded
            case .cancelled: cancelled
            case .failed: failed
            }
        }
        _modify {
            switch kind {
            case .succeeded: yield &succeeded
            case .cancelled: yield &cancelled
            case .failed: yield &failed
            }
        }
    }
}

extension ByEndedKind: Equatable where Value: Equatable {}
extension ByEndedKind: Hashable where Value: Hashable {}
extension ByEndedKind: Sendable where Value: Sendable {}

/// For how long a front knows jobs that have ended, and how many of them: of each kind the oldest go first, and none makes room for another.
///
/// What their results and failures take together is bounded too, by a bound of the front that is none of the configuration.
package struct JobRetention: Hashable, Sendable {
    private var rules: ByEndedKind<Rule>

    /// What somebody says of each kind.
    package init(_ rule: (EndedKind) -> Rule) { rules = ByEndedKind(rule) }

    /// A day and a week, of each kind the newest 100,000: who was down over night still learns what became of its jobs, and a failed one waits for somebody
    /// to look at it after days off.
    package init() {
        self.init { kind in
            switch kind {
            case .succeeded, .cancelled: Rule(age: .seconds(86_400), count: 100_000)
            case .failed: Rule(age: .seconds(7 * 86_400), count: 100_000)
            }
        }
    }

    /// What holds for jobs of a kind.
    package subscript(kind: EndedKind) -> Rule {
        get { rules[kind] }
        set { rules[kind] = newValue }
    }

    /// What holds for jobs of one kind.
    package struct Rule: Hashable, Sendable {
        /// How long after its end a job is known, in whole milliseconds: `shortestAge` to `longestAge`.
        package var age: Duration
        /// How many are known at most: 1 to `greatestCount`.
        package var count: Int

        /// The shortest time: a client asks for an outcome after its end.
        package static let shortestAge = Duration.seconds(1)
        /// The longest time.
        package static let longestAge = Duration.seconds(365 * 86_400)
        /// The most: some hundred bytes of each stay in memory, the rest is in files.
        package static let greatestCount = 1_000_000

        /// So long, and so many.
        package init(age: Duration, count: Int) { (self.age, self.count) = (age, count) }

        /// What is wrong with it, as a sentence; nil: nothing.
        package var fault: String? {
            guard age >= Self.shortestAge, age <= Self.longestAge else { return "ended jobs are known for 1 second to 365 days" }
            guard (1...Self.greatestCount).contains(count) else {
                return "1 to \(Self.greatestCount.grouped) ended jobs are known, not \(count)"
            }
            return nil
        }
    }

    /// The same for people.
    package var line: String {
        let each = self[.succeeded].count
        let counts = EndedKind.allCases.allSatisfy { self[$0].count == each } ? "of each the newest \(each.grouped)" : nil
        func words(_ rule: Rule) -> String {
            let age = rule.age.asWritten.map { "\($0.number) \($0.unit)" } ?? rule.age.line
            return age + (counts == nil ? " (the newest \(rule.count.grouped))" : "")
        }
        let times = EndedKind.allCases.map { kind in
            switch kind {
            case .succeeded: "jobs that succeeded are known for \(words(self[kind]))"
            case .cancelled: "cancelled and expired ones for \(words(self[kind]))"
            case .failed: "failed and quarantined ones for \(words(self[kind]))"
            }
        }
        return (times + [counts].compactMap(\.self)).joined(separator: ", ")
    }
}
