//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A clock as durations since one moment, so that machines deal in one type of time whatever clock is injected.
struct Timeline: Sendable {
    /// Time since the timeline was made.
    let now: @Sendable () -> Duration
    /// Returns at the given time; throws when the task is cancelled.
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    init(_ clock: any Clock<Duration>) {
        self.init(opening: clock)
    }

    private init<C: Clock>(opening clock: C) where C.Duration == Duration {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
