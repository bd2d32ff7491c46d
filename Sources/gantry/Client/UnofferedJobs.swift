//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import StateJSON

/// Waiting jobs that nobody can run: no registered worker offers their loader.
struct UnofferedJobs {
    /// By loader, most first.
    let counts: [LoaderCount]
    /// All of them, those of loaders that are not named included.
    let total: UInt64

    /// Loaders that people are shown.
    private static let shownLoaders = 3

    /// Those that a front counts.
    init(_ jobs: JobCounts) {
        counts = jobs.unoffered
        total = jobs.unoffered.reduce(jobs.unofferedOthers) { $0 + $1.count }
    }

    /// One line for people; nil: there are none.
    var line: String? {
        guard total > 0 else { return nil }
        let shown = counts.prefix(Self.shownLoaders)
        let rest = shown.reduce(total) { $0 - $1.count }
        let texts = shown.map { "\($0.loader) \($0.count)" } + (rest > 0 ? ["others \(rest)"] : [])
        return "\(counted(total, "waiting job")) that no registered worker can run: \(texts.joined(separator: ", "))"
    }

    /// What helps those of the first loader; nil: there are none.
    var next: String? {
        guard let loader = counts.first.map({ ShellWord.of($0.loader) }) else { return nil }
        return "start a worker that offers the loader \(loader), or look at its jobs: gantry job list --state waiting --loader \(loader)"
    }
}
