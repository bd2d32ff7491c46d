//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
