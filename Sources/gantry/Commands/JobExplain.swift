//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model
import StateJSON

/// `gantry job explain`: prints its story, its place in line and an estimate.
struct JobExplain: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Tell why a job is where it is.",
        discussion: "Example: gantry job explain 42")

    @OptionGroup var argument: JobArgument
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let (options, id) = (options, argument.id)
        try await options.withClient("job explain") { client in
            let explanation = try await client.explain(id)
            try options.show(explanation.json.text, Self.text(explanation))
        }
    }

    /// For people: the story, and what can be done about a job that has not ended.
    static func text(_ explanation: JobExplanation) -> String {
        let job = explanation.job
        var lines = ["\(job.id): \(job.line())"] + explanation.byteLines + explanation.timeline.map { "  - \($0)" }
        if let place = explanation.placeInLine { lines.append("  \(counted(place, "job")) before it in line") }
        if let estimate = explanation.estimate {
            lines.append("  starts in \(JobSummary.roughly(estimate)), if others take as long as now")
        }
        if !job.state.isFinal {
            lines.append("  next: gantry job wait \(job.id)" + (job.state == .cancelling ? "" : ", or gantry job cancel \(job.id)"))
        }
        return lines.joined(separator: "\n")
    }
}
