//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension GantryClient {
    /// Runs work that reads topics, and ends it with `timedOut` after a while.
    /// - Parameters:
    ///   - awaited: what is waited for, as the beginning of a sentence, for example "the end of job 4".
    ///   - nextStep: what to do when it did not come.
    func withLimit<Value: Sendable>(
        _ limit: Duration?, awaiting awaited: String,
        nextStep: String = "see with `gantry status` whether the front answers, or wait longer",
        _ body: @escaping @Sendable (GantryClient) async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        guard let limit else { return try await body(self) }
        let result = await withTaskGroup(of: Result<Value, ClientError>?.self) { group in
            group.addTask {
                do throws(ClientError) { return .success(try await body(self)) } catch { return .failure(error) }
            }
            group.addTask {
                // Ends early only by cancellation: then the work itself says so.
                guard (try? await Task.sleep(for: limit)) != nil else { return nil }
                return .failure(
                    ClientError(.timedOut, "\(awaited) did not come within \(limit)", nextStep: nextStep, isRetryable: true))
            }
            for await result in group {
                guard let result else { continue }
                group.cancelAll()
                return result
            }
            return .failure(ClientCalls.cancelled)
        }
        return try result.get()
    }
}
