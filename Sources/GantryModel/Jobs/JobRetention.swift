//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// For how long a front knows jobs that have ended, and how many of them: of either kind the oldest go first, and neither makes room for the other.
///
/// What their results and failures take together is bounded too, by a bound of the front that is none of the configuration.
package struct JobRetention: Hashable, Sendable {
    /// Jobs that succeeded, were cancelled or expired.
    package var ended: Rule
    /// Jobs that failed or are quarantined: the dead set.
    package var failed: Rule

    /// A day and a week, of either the newest 100,000: who was down over night still learns what became of its jobs, and a failed one waits for somebody
    /// to look at it after days off.
    package init(
        ended: Rule = Rule(age: .seconds(86_400), count: 100_000), failed: Rule = Rule(age: .seconds(7 * 86_400), count: 100_000)
    ) {
        (self.ended, self.failed) = (ended, failed)
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
        let counts = ended.count == failed.count ? "of either the newest \(ended.count.grouped)" : nil
        func words(_ rule: Rule) -> String {
            let age = rule.age.asWritten.map { "\($0.number) \($0.unit)" } ?? rule.age.line
            return age + (counts == nil ? " (the newest \(rule.count.grouped))" : "")
        }
        let times = "ended jobs are known for \(words(ended)), failed and quarantined ones for \(words(failed))"
        return times + (counts.map { ", \($0)" } ?? "")
    }
}
