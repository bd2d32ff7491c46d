//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// Stacks all decorators over a flaky download and draws them live: three calls come at once, the first attempts fail.
@main
struct LoadingExample {
    static func main() async {
        let download = FlakyDownload(failures: 2)
        let limited = ConcurrencyLimitingLoadable(wrapping: download, concurrencyLimit: 1)
        let retryable = RetryableLoader(base: limited, maxAttempts: 3)
        let loader = await DebouncingLoadable(wrapping: retryable, debounceInterval: 0.3, executeFirstImmediately: true)

        let region = LiveRegion(write: { FileHandle.standardOutput.write(Data($0.utf8)) }) {
            Text("debounce(retry(limit(download)))")
            DownloadView.make(of: loader)
        }
        region.start()
        async let first: Void = loader.load()
        // These two come while the first call runs: they join in one more load, which waits for its permit.
        async let second: Void = loader.load()
        async let third: Void = loader.load()
        _ = await (first, second, third)
        while loader.isLoadPending {
            for await state in loader.state where !state.isLoading && !loader.isLoadPending { break }
        }
        region.stop()
        print("drawn \(region.frameCount) times, \(download.attemptCount) attempts")
    }
}

/// How the example draws a loader of lines, whatever stack it is.
@MainActor
enum DownloadView {
    static func make<L: Loadable<[String]>>(of loader: L) -> some View {
        LoadingView(loader: loader, loadOnAppear: false) { items in
            List(items) { item in
                Text(item)
            }
        }
        .emptyView {
            Text("Nothing loaded.")
        }
        .errorView { error in
            Text(error.localizedDescription)
            Button("Retry") {
                Task { await loader.load() }
            }
        }
    }
}

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

/// The failure of a ``FlakyDownload``.
struct BrokenOff: LocalizedError {
    let percent: Int

    var errorDescription: String? { "The download broke off at \(percent)%." }
}
