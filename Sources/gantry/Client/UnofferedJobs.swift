//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import StateJSON

/// Waiting jobs that nobody can run: no registered worker offers their loader.
struct UnofferedJobs: Hashable, Sendable {
    /// The jobs of one loader.
    struct Count: Hashable, Sendable {
        let loader: String
        let count: UInt64
    }

    /// By loader, most first, ties by name.
    let counts: [Count]
    /// How many waiting jobs were looked at.
    let lookedCount: Int
    /// Whether those are all.
    let isWhole: Bool

    /// Loaders that people are shown.
    private static let shownLoaders = 3

    /// Counts those of some waiting jobs.
    init(_ jobs: some Swift.Sequence<JobSummary>, isWhole: Bool = true) {
        var (found, looked): ([String: UInt64], Int) = ([:], 0)
        for job in jobs {
            looked += 1
            if case .noWorker(let loader)? = job.waitReason { found[loader, default: 0] += 1 }
        }
        lookedCount = looked
        counts = found.map { Count(loader: $0.key, count: $0.value) }.sorted { ($1.count, $0.loader) < ($0.count, $1.loader) }
        self.isWhole = isWhole
    }

    /// Asks the front for the newest page of what waits: more would cost a busy front much, and it is asked for a status just then. One that is
    /// too busy for that tells nothing of them.
    init(_ client: GantryClient) async {
        do throws(ClientError) {
            let page = try await client.listJobs(JobQuery(state: .waiting, limit: UInt32(MessageBounds.pageItems)))
            self.init(page.jobs, isWhole: page.next == nil)
        } catch {
            self.init([], isWhole: false)
        }
    }

    /// One line for people; nil: there are none.
    var line: String? {
        guard !counts.isEmpty else {
            if isWhole { return nil }
            let looked = "none of the newest \(lookedCount) that wait; others were not looked at"
            return lookedCount == 0 ? "not known: the front is too busy" : looked
        }
        let shown = counts.prefix(Self.shownLoaders).map { "\($0.loader) \($0.count)" }.joined(separator: ", ")
        let rest = counts.count > Self.shownLoaders ? ", \(counted(counts.count - Self.shownLoaders, "more loader"))" : ""
        let jobs = counts.reduce(0) { $0 + $1.count }
        return "\(isWhole ? "" : "at least ")\(counted(jobs, "waiting job")) that no registered worker can run: \(shown)\(rest)"
    }

    /// What helps those of the first loader; nil: there are none.
    var next: String? {
        guard let loader = counts.first.map({ ShellWord.of($0.loader) }) else { return nil }
        return "start a worker that offers the loader \(loader), or look at its jobs: gantry job list --state waiting --loader \(loader)"
    }
}

extension UnofferedJobs.Count {
    static let shape = JSONShape<Self>(
        "unofferedCount", "Waiting jobs whose loader no registered worker offers.",
        [
            .always("loader", .text, "The loader.") { $0.loader },
            .always("count", .count, "How many jobs; of very many that wait only the newest are looked at.") { $0.count },
        ])
}
