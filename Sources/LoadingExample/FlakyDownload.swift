//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

/// A download that reports progress and breaks off in its first attempts.
@MainActor
final class FlakyDownload: BaseLoadable<[String]> {
    private(set) var attemptCount = 0
    private let failures: Int
    private let pause: Duration

    /// - Parameters:
    ///   - failures: how many attempts break off.
    ///   - pause: how long one of ten steps takes.
    init(failures: Int, pause: Duration = .milliseconds(60)) {
        self.failures = failures
        self.pause = pause
        super.init()
    }

    override func fetch() async throws -> [String] {
        attemptCount += 1
        let attempt = attemptCount
        for step in 0..<10 {
            updateState(.loading(LoadingProgress(percent: step * 10, message: "Downloading...")))
            try await Task.sleep(for: pause)
            if step == 6, attempt <= failures { throw BrokenOff(percent: step * 10) }
        }
        return ["Swift", "ZeroMQ", "SQLite"]
    }
}
