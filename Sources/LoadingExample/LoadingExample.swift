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
