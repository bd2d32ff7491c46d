//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Client
import Model
import StateJSON

extension FrontOptions {
    /// Waits until a job has ended, at most as long as `--timeout` says.
    /// - Throws: `CommandFailure` with 5 when the time is over; the job keeps running.
    func wait(for job: JobID, _ client: GantryClient, onChange: (@Sendable (TopicState) -> Void)? = nil) async throws -> JobSummary {
        do throws(ClientError) {
            return try await client.wait(for: job, timeout: timeout?.duration, onChange: onChange)
        } catch {
            guard error.code == .timedOut, let timeout else { throw error }
            throw CommandFailure(
                .timedOut, code: .timedOut, message: "job \(job) has not ended after \(timeout.text) and continues",
                nextStep: "gantry job show \(job)", isRetryable: true, context: ["job": job.description])
        }
    }

    /// The same, with what becomes of the job meanwhile on standard error.
    func followed(_ job: JobID, _ client: GantryClient) async throws -> JobSummary {
        let lines = ProgressLines(printing)
        return try await wait(for: job, client) { state in
            guard let summary = state.job, !summary.state.isFinal else { return }
            lines.show(summary, state.progress, prefix: "\(job): ")
        }
    }
}
