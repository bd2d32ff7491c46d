//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Loading

// Laid out as in the guide.
// swift-format-ignore-file

/// The examples of the guide that stand nowhere else here, to the letter but for `@State` and what they leave out.
@MainActor
enum AsWritten {
    @discardableResult
    static func fetchData() async throws -> String { "Result" }

    /// What an example searches with.
    final class SearchableLoadable: BaseLoadable<String> {
        override func fetch() async throws -> String { try await fetchData() }
    }

    static func successContent(_ someLoader: some Loadable<String>) -> some View {
        LoadingView(loader: someLoader) { value in
            // Success content
        }
    }

    @MainActor
    struct SimpleLoading {
        private var loader = BlockLoadable<String> {
            try await fetchData()
            return "Result"
        }

        var body: some View { LoadingView(loader: loader) { Text($0) } }
    }

    @MainActor
    struct BasicLoading {
        private var loader = BlockLoadable {
            return try await fetchData()
        }

        var body: some View {
            LoadingView(loader: loader) { data in
                Text(data)
            }
            .progressView { _ in
                ProgressView()
            }
        }
    }

    static func composed() async -> any Loadable<String> {
        // Stack multiple behaviors
        let searchLoader = SearchableLoadable()
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

    @MainActor
    struct SeveralLoading {
        struct User: Hashable { let name: String }
        struct Post: Hashable { let title: String }

        private var userLoader = BlockLoadable { User(name: "Ann") }
        private var postsLoader = BlockLoadable { [Post(title: "One"), Post(title: "Two")] }

        var body: some View {
            VStack {
                LoadingView(loader: userLoader) { user in
                    Text(user.name)
                }
                LoadingView(loader: postsLoader) { posts in
                    List(posts) { post in
                        Text(post.title)
                    }
                }
            }
        }
    }
}
