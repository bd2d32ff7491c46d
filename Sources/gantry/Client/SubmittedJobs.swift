//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryClient
import GantryModel
import StateFormatting
import Synchronization

/// The jobs of one `job submit` that are durable, in order, and how many of them have been printed.
final class SubmittedJobs: Sendable {
    private struct State {
        var ids: [JobID] = []
        /// Those that are earlier ones, by their unique keys.
        var joined: [JobID: JobAcceptance] = [:]
        /// How many of the ids have been printed, or are being printed.
        var reported = 0
        /// How many had been when the rest could not be.
        var printed = 0
        /// Ends that are not printed yet: one JSON object holds all that is printed.
        var ended: [JSONValue] = []
        /// Why ids could not be printed: nothing is printed after it.
        var writeError: (any Error)?
    }

    private let state = Mutex(State())

    /// How many jobs are durable.
    var count: Int { state.withLock { $0.ids.count } }

    /// Those that nothing has been printed of yet.
    var unprinted: [JobID] { state.withLock { Array($0.ids[$0.reported...]) } }

    /// Notes jobs that have just become durable.
    func add(_ ids: [JobID]) { state.withLock { $0.ids += ids } }

    /// Notes a job that is durable, and what it is; prints its id at once unless there are no options.
    func take(_ submitted: SubmittedJob, _ options: FrontOptions?) {
        if submitted.acceptance != .new { state.withLock { $0.joined[submitted.job] = submitted.acceptance } }
        if let options { show([submitted.job], options) } else { add([submitted.job]) }
    }

    /// Notes jobs that have just become durable and prints their ids, so that whatever ends the command takes none of them away. A reader
    /// that has gone keeps no job from being submitted: `showRest` says that nobody reads.
    func show(_ ids: [JobID], _ options: FrontOptions) {
        add(ids)
        guard state.withLock({ $0.writeError == nil }) else { return }
        do { try printRest(options) } catch { state.withLock { $0.writeError = error } }
    }

    /// Waits for each and prints how it ended, in one JSON object only `showRest` does; throws what the first that did not succeed ends the command
    /// with.
    func follow(_ client: GantryClient, _ options: FrontOptions) async throws {
        var first: CommandFailure?
        let lines = ProgressLines(options.printing)
        let ids = state.withLock { $0.ids }
        for job in ids {
            let ended = try await options.followed(job, client, lines)
            if options.printing.output == .json {
                state.withLock { $0.ended.append(ended.json()) }
            } else {
                // The failure of a single job is said once: it ends the command.
                let line = ids.count == 1 ? ended.lineWithoutFailure : ended.lineWithResult
                try options.show(ended.json().text, "\(job): \(line)")
                state.withLock { $0.printed += 1 }
            }
            state.withLock { $0.reported += 1 }
            first = first ?? CommandFailure(ended)
        }
        if let first { throw first }
    }

    /// Prints what is not printed yet: ends that one JSON object holds, and the ids of the jobs that nobody has waited for.
    /// - Throws: what printing threw, now or before, with the ids that could not be printed.
    func showRest(_ options: FrontOptions) throws {
        do {
            if let error = state.withLock({ $0.writeError }) { throw error }
            try printRest(options)
        } catch let failure as CommandFailure {
            throw failure.naming(accepted: state.withLock { Array($0.ids[$0.printed...]) })
        }
    }

    private func printRest(_ options: FrontOptions) throws {
        let rest = state.withLock { state in
            defer { (state.reported, state.ended) = (state.ids.count, []) }
            return (ids: state.ids[state.reported...], ended: state.ended, joined: state.joined)
        }
        let items =
            rest.ended
            + rest.ids.map { id in
                JSONValue.object(
                    ("id", .string(id.description)), ("joined", rest.joined[id].map { _ in .bool(true) }),
                    ("replaced", rest.joined[id] == .replaced ? .bool(true) : nil))
            }
        guard !items.isEmpty else { return }
        try options.show(
            items: items.map(\.text), json: JSONValue.list(items).text, table: rest.ids.map(\.description).joined(separator: "\n"))
        state.withLock { $0.printed = rest.ids.endIndex }
    }
}
