//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Testing

@testable import Loading

@MainActor
@Suite("The loading view, as pictures", .timeLimit(.minutes(5)))
struct LoadingViewTests {
    /// What a program would keep in its navigation.
    private final class Pages { var shown = 1 }

    private let loader = GatedLoader()

    private func host(loadOnAppear: Bool = false) -> ViewHost {
        let loader = loader
        return ViewHost(width: 44) {
            LoadingView(loader: loader, loadOnAppear: loadOnAppear) { value in
                Text("Value \(value)")
            }
        }
    }

    @Test("the four states without further views: nothing, nothing without progress, the value, the error")
    func defaults() {
        let host = host()
        #expect(host.render() == [])
        loader.updateState(.loading(nil))
        #expect(host.render() == [])
        loader.updateState(.loaded(7))
        #expect(host.render() == ["Value 7"])
        loader.updateState(.failure(Flaw.broken))
        #expect(host.render() == ["Error: it is broken"])
    }

    @Test("progress shows percent, message and cancellation status")
    func progress() {
        let host = host()
        loader.updateState(.loading(LoadingProgress(percent: 40, message: "Processing...")))
        #expect(host.render() == ["[████······] 40% Processing..."])
        loader.updateState(.loading(LoadingProgress(isCanceled: true, message: "Processing...", percent: 100)))
        #expect(host.render() == ["[██████████] 100% Processing... (canceled)"])
        loader.updateState(.loading(LoadingProgress(message: "Retrying… (attempt 2 of 3)")))
        #expect(host.render() == ["[··········] Retrying… (attempt 2 of 3)"])
    }

    @Test("given views take the place of the defaults, and the error view receives the error as it was thrown")
    func ownViews() {
        let loader = loader
        let host = ViewHost {
            LoadingView(loader: loader, loadOnAppear: false) { Text("\($0)") }
                .emptyView { Text("No data") }
                .progressView { progress in
                    ProgressView()
                    if let percent = progress?.percent { Text("\(percent)%") }
                }
                .errorView { error in Text(error as? Flaw == .broken ? "broken" : "other") }
        }
        #expect(host.render() == ["No data"])
        loader.updateState(.loading(nil))
        #expect(host.render() == ["[··········]"])
        loader.updateState(.loading(LoadingProgress(percent: 5)))
        #expect(host.render() == ["[··········]", "5%"])
        loader.updateState(.failure(Flaw.broken))
        #expect(host.render() == ["broken"])
    }

    @Test("it loads when it appears idle or failed, not when it appears loaded, and not a second time while it stays")
    func loadOnAppear() async {
        let host = host(loadOnAppear: true)
        _ = host.render()
        await loader.started.reaches(1)
        _ = host.render()
        loader.fail(1)
        let observer = await Recorder.watching(loader)
        await observer.sees { $0.error != nil }
        host.close()
        _ = host.render()
        await loader.started.reaches(2)
        loader.succeed(2, 2)
        await observer.sees(.loaded(2))
        host.close()
        #expect(host.render() == ["Value 2"])
        await Task { @MainActor in }.value
        #expect(loader.started.count == 2)
    }

    @Test("each change of a loader asks for a drawing, from the appearance to the disappearance")
    func changes() async {
        let host = host()
        let asked = Tally()
        host.onChange = { asked.add() }
        _ = host.render()
        await asked.reaches(1)
        loader.updateState(.loaded(1))
        await asked.reaches(2)
        #expect(host.render() == ["Value 1"])
        host.close()
        let observer = await Recorder.watching(loader)
        loader.updateState(.loaded(2))
        await observer.sees(.loaded(2))
        #expect(asked.count == 2)
    }

    @Test("navigation: the state survives that the view goes away, and onDisappear runs once")
    func navigation() async {
        let loader = loader
        let pages = Pages()
        var gone = 0
        let host = ViewHost {
            if pages.shown == 1 {
                LoadingView(loader: loader) { Text("Value \($0)") }
                    .onDisappear { gone += 1 }
                    .onDisappear { loader.cancel() }
            } else {
                Text("Elsewhere")
            }
        }
        _ = host.render()
        await loader.started.reaches(1)
        loader.succeed(1, 1)
        let observer = await Recorder.watching(loader)
        await observer.sees(.loaded(1))
        pages.shown = 2
        #expect(host.render() == ["Elsewhere"])
        #expect(host.render() == ["Elsewhere"])
        #expect(gone == 1)
        #expect(loader.isCanceled)
        pages.shown = 1
        #expect(host.render() == ["Value 1"])
        #expect(loader.started.count == 1)
    }

    @Test("several loaders in one view have a state each")
    func several() {
        let users = GatedLoader()
        let posts = BaseLoadable<[String]>()
        let host = ViewHost {
            VStack {
                LoadingView(loader: users, loadOnAppear: false) { Text("User \($0)") }
                LoadingView(loader: posts, loadOnAppear: false) { posts in
                    List(posts) { post in
                        Text(post)
                        Text("by nobody")
                    }
                }
            }
        }
        users.updateState(.loaded(1))
        posts.updateState(.loading(LoadingProgress(percent: 50)))
        #expect(host.render() == ["User 1", "[█████·····] 50%"])
        posts.updateState(.loaded(["one", "two"]))
        #expect(host.render() == ["User 1", "• one", "  by nobody", "• two", "  by nobody"])
    }

    @Test("a button is pressed by its number")
    func button() async {
        let loader = loader
        let host = ViewHost {
            LoadingView(loader: loader, loadOnAppear: false) { Text("\($0)") }
                .errorView { error in
                    Text(error.localizedDescription)
                    Button("Retry") { Task { await loader.load() } }
                    Button("Give up") {}
                }
        }
        loader.updateState(.failure(Flaw.late))
        #expect(host.render() == ["it is late", "[1] Retry", "[2] Give up"])
        #expect(!host.press(0))
        #expect(!host.press(3))
        #expect(host.press(1))
        await loader.started.reaches(1)
    }
}
