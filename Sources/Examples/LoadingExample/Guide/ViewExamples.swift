//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading

/// The examples of the documentation about views, compiled; the tests run them and compare the documentation with this file.
@MainActor
enum ViewExamples {
    struct User: Hashable {
        let name: String
    }

    struct Post: Hashable {
        let title: String
    }

    static func basic(_ loader: BlockLoadable<String>) -> some View {
        LoadingView(loader: loader) { data in
            Text(data)
        }
        .progressView { _ in
            ProgressView()
        }
    }

    static func allStates(_ loader: some Loadable<String>) -> some View {
        LoadingView(loader: loader) { data in
            Text(data)
        }
        .emptyView {
            Text("No data")
        }
        .progressView { progress in
            ProgressView()
            if let percent = progress?.percent {
                Text("\(percent)%")
            }
        }
        .errorView { error in
            VStack {
                Text(error.localizedDescription)
                Button("Retry") {
                    Task { await loader.load() }
                }
            }
        }
    }

    static func shortStates(_ loader: some Loadable<String>) -> some View {
        LoadingView(loader: loader) { data in
            Text(data)
        }
        .emptyView {
            Text("No data")
        }
        .errorView { error in
            Text(error.localizedDescription)
        }
    }

    static func manual(_ loader: some Loadable<String>) -> some View {
        VStack {
            LoadingView(loader: loader, loadOnAppear: false) { data in
                Text(data)
            }

            Button("Load") {
                Task { await loader.load() }
            }
        }
    }

    static func network(_ loader: some Loadable<String>) -> some View {
        LoadingView(loader: loader, loadOnAppear: false) { data in
            Text(data)
        }
        .errorView { error in
            if (error as NSError).code == NSURLErrorNotConnectedToInternet {
                Text("No internet connection")
            } else {
                Text("Error: \(error.localizedDescription)")
            }
        }
    }

    static func leaving(_ loader: some Loadable<String>) -> some View {
        LoadingView(loader: loader) { data in
            Text(data)
        }
        .onDisappear {
            loader.cancel()
        }
    }

    static func refresh(_ loader: some Loadable<String>) -> some View {
        Button("Refresh") {
            Task {
                loader.reset()
                await loader.load()
            }
        }
    }

    static func several(userLoader: some Loadable<User>, postsLoader: some Loadable<[Post]>) -> some View {
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

    static func host(_ loader: BlockLoadable<String>) -> ViewHost {
        let host = ViewHost {
            LoadingView(loader: loader) { Text($0) }
        }
        host.onChange = { print(host.render()) }
        return host
    }

    static func region(_ loader: BlockLoadable<String>) -> LiveRegion {
        let region = LiveRegion(write: { print($0, terminator: "") }) {
            LoadingView(loader: loader) { Text($0) }
        }
        region.start()
        return region
    }
}
