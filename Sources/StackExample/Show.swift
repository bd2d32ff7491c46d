//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// One run of the example: a burst of calls, and after a failure one press of "Retry".
@MainActor
struct Show<Base: Loadable<[Item]>> {
    let title: String
    let base: Base

    /// All decorators over the loader, in the order that the guide recommends.
    func stack() async -> DebouncingLoadable<RetryableLoader<ConcurrencyLimitingLoadable<Base>>> {
        let limited = ConcurrencyLimitingLoadable(wrapping: base, concurrencyLimit: 1)
        let retryable = RetryableLoader(base: limited, maxAttempts: 3)
        return await DebouncingLoadable(wrapping: retryable, debounceInterval: 0.3)
    }

    func run() async throws {
        let loader = await stack()
        let region = LiveRegion(write: { FileHandle.standardOutput.write(Data($0.utf8)) }) {
            Text("debounce(retry(limit(\(title))))")
            ItemsView.make(of: loader)
        }
        region.start()
        for _ in 0..<3 { await loader.load() }
        if await outcome(of: loader).error != nil {
            try await Task.sleep(for: .seconds(2))
            region.press(1)
            for await state in loader.state where state.isLoading { break }
            _ = await outcome(of: loader)
        }
        region.stop()
        print("drawn \(region.frameCount) times")
    }

    private func outcome(of loader: some Loadable<[Item]>) async -> LoadingState<[Item]> {
        for await state in loader.state where state.error != nil || state.value != nil { return state }
        return .idle
    }
}
