//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryClient
import GantryModel
import StateFormatting

/// What a job that was named has come to, as JSON and for people.
struct NamedJobEnd {
    var json: JSONValue
    var text: String
    /// What it ends the command with; nil: nothing.
    var failure: CommandFailure?
}

extension FrontOptions {
    /// Does something with each job that is named, in order, and prints what it has come to: of several, as one JSON list.
    /// - Throws: once all are done what the first ends the command with that failed, was not there or was in a state against it; what is not about
    ///   a job at once.
    func each(_ jobs: [JobID], _ act: (JobID) async throws -> NamedJobEnd) async throws {
        guard jobs.count > 1 else {
            for job in jobs {
                let end = try await act(job)
                try show(end.json.text, end.text)
                if let failure = end.failure { throw failure }
            }
            return
        }
        var first: CommandFailure?
        var shown: [JSONValue] = []
        func note(_ failure: CommandFailure) {
            if first == nil { first = failure } else { notice(failure.message) }
        }
        func showRest() throws {
            if !shown.isEmpty { try printing.line(JSONValue.list(shown).text) }
        }
        do {
            for job in jobs {
                do {
                    let end = try await act(job)
                    if printing.output == .json { shown.append(end.json) } else { try show(end.json.text, end.text) }
                    if let failure = end.failure { note(failure) }
                } catch {
                    guard let failure = CommandFailure(ofOneJob: error) else { throw error }
                    note(failure)
                }
            }
        } catch {
            try showRest()
            throw error
        }
        try showRest()
        if let first { throw first }
    }
}

extension CommandFailure {
    /// What concerns one of several jobs alone: it is not there, or in a state against it; nil: whatever else is to be done would fail, too.
    init?(ofOneJob error: any Error) {
        guard let failure = error as? CommandFailure ?? (error as? ClientError).map({ CommandFailure($0) }),
            [.notFound, .conflict].contains(failure.status)
        else { return nil }
        self = failure
    }
}

/// Cancels a job and follows its receipt.
struct JobCancelling: Sendable {
    let client: GantryClient
    let options: FrontOptions

    /// Cancels each; waits until the work has really ended unless told otherwise. All are asked to stop before the first is waited for.
    func cancel(_ jobs: [JobID], noWait: Bool) async throws {
        var answers: [Result<CancelAnswer, CommandFailure>] = []
        for job in jobs {
            do {
                try await CommandFailure.ofUnknown(listedBy: "gantry job list") { answers.append(.success(try await client.cancel(job))) }
            } catch {
                guard let failure = CommandFailure(ofOneJob: error) else { throw error }
                answers.append(.failure(failure))
            }
        }
        var next = answers.makeIterator()
        try await options.each(jobs) { _ in
            guard let answer = try next.next()?.get() else { throw CancellationError() }
            return try await end(of: answer, noWait: noWait)
        }
    }

    /// Tells what became of a cancel; waits until the work has really ended unless told otherwise.
    func follow(_ answer: CancelAnswer, noWait: Bool) async throws {
        let end = try await end(of: answer, noWait: noWait)
        try options.show(end.json.text, end.text)
    }

    private func end(of answer: CancelAnswer, noWait: Bool) async throws -> NamedJobEnd {
        switch answer {
        case .alreadyEnded(let job, let state):
            let shown = JSONValue.object(("id", .string(job.description)), ("alreadyEnded", .string(state.name)))
            return NamedJobEnd(json: shown, text: "job \(job) had already ended: \(state.name)")
        case .requested(let job):
            if noWait {
                let shown = JSONValue.object(("id", .string(job.description)), ("cancel", .string("requested")))
                return NamedJobEnd(json: shown, text: "job \(job): cancel requested")
            }
            let lines = ProgressLines(options.printing)
            let ended = try await options.wait(for: job, client) { state in
                guard let summary = state.job, let receipt = summary.cancel, !summary.state.isFinal else { return }
                lines.show("job \(job): \(receipt.stepLine ?? "cancel requested")")
            }
            return NamedJobEnd(json: ended.json(), text: Self.text(ended))
        }
    }

    /// For people: what has become of a job that was to be cancelled. One that never ran had nothing to stop.
    static func text(_ ended: JobSummary) -> String {
        let text = "job \(ended.id): \(ended.state.name)"
        if ended.state == .cancelled, ended.attempts == 0, ended.snoozeCount == 0 { return text + " before it started" }
        guard let receipt = ended.cancel, let stopped = receipt.stoppedAt else { return text }
        return text + ", stopped after \(JobSummary.seconds(stopped.duration(since: receipt.requestedAt)))"
    }
}

/// The id of a job on the command line.
struct JobArgument: ParsableArguments {
    @Argument(help: "The job's id, as `gantry job list` shows it.")
    var job: UInt64

    /// The job.
    var id: JobID { JobID(job) }
}
