//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// The examples of the documentation about loaders, compiled; the tests run them and compare the documentation with this file.
@MainActor
enum LoaderExamples {
    private static let data = Data("Result".utf8)

    class CustomLoader: BaseLoadable<Data> {
        override func fetch() async throws -> Data {
            // Update progress
            updateState(.loading(LoadingProgress(percent: 50)))
            // Perform work
            return data
        }
    }

    // Laid out as in the documentation.
    // swift-format-ignore
    class ProgressLoader: BaseLoadable<String> {
        override func fetch() async throws -> String {
            for i in 0...100 {
                updateState(.loading(LoadingProgress(
                    percent: i,
                    message: "Processing..."
                )))
                try await Task.sleep(nanoseconds: 10_000_000)
            }
            return "Complete"
        }
    }

    static func fetchData() async throws -> String { "Result" }

    static func block() -> BlockLoadable<String> {
        let loader = BlockLoadable<String> {
            try await fetchData()
        }
        return loader
    }

    static func debounced(_ baseLoader: some Loadable<String>) async -> any Loadable<String> {
        let debounced = await DebouncingLoadable(
            wrapping: baseLoader,
            debounceInterval: 0.5,
            executeFirstImmediately: false
        )
        return debounced
    }

    static func retryable(_ loader: some Loadable<String>) -> any Loadable<String> {
        let retryable = RetryableLoader(
            base: loader,
            maxAttempts: 3
        )
        return retryable
    }

    static func limited(_ loader: some Loadable<String>) -> any Loadable<String> {
        let limited = ConcurrencyLimitingLoadable(
            wrapping: loader,
            concurrencyLimit: 3
        )
        return limited
    }

    static func composed(_ searchLoader: some Loadable<String>) async -> any Loadable<String> {
        let debounced = await DebouncingLoadable(
            wrapping: searchLoader,
            debounceInterval: 0.3
        )
        let retryable = RetryableLoader(
            base: debounced,
            maxAttempts: 2
        )
        let final = ConcurrencyLimitingLoadable(
            wrapping: retryable,
            concurrencyLimit: 1
        )
        return final
    }

    static func search(_ loader: some Loadable<String>) async -> any Loadable<String> {
        let limited = ConcurrencyLimitingLoadable(wrapping: loader, concurrencyLimit: 1)
        let retryable = RetryableLoader(base: limited, maxAttempts: 3)
        let search = await DebouncingLoadable(wrapping: retryable, debounceInterval: 0.3)
        return search
    }

    // swift-format-ignore
    static func relay() -> StateRelay<Int> {
        let relay = StateRelay(0)
        Task { for await value in relay.stream { print(value) } }   // prints 0 at once, later values after it
        relay.update(1)
        return relay
    }

    static func backoff(_ loader: some Loadable<String>) -> any Loadable<String> {
        let patient = RetryableLoader(
            base: loader,
            maxAttempts: 10,
            backoff: RetryBackoff(cap: .seconds(30), jitter: 0.5)
        )
        return patient
    }
}
