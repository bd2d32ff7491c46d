//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Loading
import Testing

@testable import LoadingExample

@MainActor
@Suite("The examples of the documentation", .timeLimit(.minutes(5)))
struct GuideTests {
    @Test("the loaders load")
    func loaders() async {
        let custom = LoaderExamples.CustomLoader()
        await custom.load()
        #expect(custom.currentState == .loaded(Data("Result".utf8)))
        #expect(LoaderExamples.relay().currentValue == 1)
    }

    @Test("the loader with progress shows percent and message, and ends at once when it is cancelled")
    func progress() async {
        let loader = LoaderExamples.ProgressLoader()
        let observer = await Recorder.watching(loader)
        let load = Task { await loader.load() }
        await observer.sees { state in
            guard case .loading(let progress?) = state else { return false }
            return progress.percent != nil && progress.message == "Processing..."
        }
        #expect(ViewHost { ViewExamples.network(loader) }.render().first?.hasSuffix("% Processing...") == true)
        loader.cancel()
        await load.value
        #expect(loader.currentState == .idle)
    }

    @Test("the examples as the guide has them show what they load")
    func asWritten() async {
        let final = await AsWritten.composed()
        await final.load()
        final.cancel()
        #expect(final.currentState == .idle)
        #expect(ViewHost { AsWritten.successContent(AsWritten.SearchableLoadable()) }.render() == [])

        let (basic, simple, several) = (AsWritten.BasicLoading(), AsWritten.SimpleLoading(), AsWritten.SeveralLoading())
        let hosts: [(host: ViewHost, lines: [String])] = [
            (ViewHost { basic.body }, ["Result"]), (ViewHost { simple.body }, ["Result"]),
            (ViewHost { several.body }, ["Ann", "• One", "• Two"]),
        ]
        for (host, lines) in hosts {
            let pictures = StateRelay<[String]>([])
            host.onChange = { [weak host] in pictures.update(host?.render() ?? []) }
            pictures.update(host.render())
            for await drawn in pictures.stream where drawn == lines { break }
            host.close()
        }
    }

    @Test("the decorated loaders load")
    func decorated() async {
        let block = LoaderExamples.block()
        let awaited: [any Loadable<String>] = [
            LoaderExamples.retryable(block), LoaderExamples.limited(block), LoaderExamples.backoff(block),
        ]
        for loader in awaited {
            await loader.load()
            #expect(loader.currentState == .loaded("Result"))
        }
        let deferred = [
            await LoaderExamples.debounced(block), await LoaderExamples.composed(block), await LoaderExamples.search(block),
        ]
        for loader in deferred {
            loader.reset()
            await loader.load()
            #expect(loader.currentState == .idle)
            loader.cancel()
        }
    }

    @Test("the views draw each state as described")
    func views() {
        let loader = BaseLoadable<String>()
        let host = ViewHost {
            ViewExamples.network(loader)
            ViewExamples.refresh(loader)
        }
        #expect(host.render() == ["[1] Refresh"])
        loader.updateState(.failure(NSError(domain: NSURLErrorDomain, code: NSURLErrorNotConnectedToInternet)))
        #expect(host.render() == ["No internet connection", "[1] Refresh"])
        loader.updateState(.failure(BrokenOff(percent: 60)))
        #expect(host.render() == ["Error: The download broke off at 60%.", "[1] Refresh"])
    }

    @Test("the view with all states has a text and a button for a failure")
    func allStates() {
        let loader = BaseLoadable<String>()
        loader.updateState(.loading(LoadingProgress(percent: 30)))
        let view = ViewExamples.allStates(loader)
        let host = ViewHost { view }
        #expect(host.render() == ["[··········]", "30%"])
        loader.updateState(.failure(BrokenOff(percent: 60)))
        #expect(host.render() == ["The download broke off at 60%.", "[1] Retry"])
        loader.updateState(.loaded("data"))
        #expect(ViewHost { ViewExamples.shortStates(loader) }.render() == ["data"])
        #expect(ViewHost { ViewExamples.leaving(loader) }.render() == ["data"])
        #expect(ViewHost { ViewExamples.manual(loader) }.render() == ["data", "[1] Load"])
    }

    @Test("several loaders stand in one view")
    func several() {
        let users = BaseLoadable<ViewExamples.User>()
        let posts = BaseLoadable<[ViewExamples.Post]>()
        users.updateState(.loaded(.init(name: "Ann")))
        posts.updateState(.loaded([.init(title: "One"), .init(title: "Two")]))
        let host = ViewHost { ViewExamples.several(userLoader: users, postsLoader: posts) }
        #expect(host.render() == ["Ann", "• One", "• Two"])
    }

    @Test("the basic view, its host and its region show the result")
    func basic() async {
        let loader = LoaderExamples.block()
        await loader.load()
        #expect(ViewHost { ViewExamples.basic(loader) }.render() == ["Result"])
        let host = ViewExamples.host(loader)
        #expect(host.render() == ["Result"])
        host.onChange = nil
        let region = ViewExamples.region(loader)
        region.stop()
        #expect(region.frameCount == 1)
    }

    @Test("the example's download fails as often as asked, then gives its lines")
    func download() async {
        let download = FlakyDownload(failures: 1, pause: .zero)
        let view = DownloadView.make(of: download)
        let host = ViewHost { view }
        #expect(host.render() == ["Nothing loaded."])
        await download.load()
        #expect(host.render() == ["The download broke off at 60%.", "[1] Retry"])
        await download.load()
        #expect(host.render() == ["• Swift", "• ZeroMQ", "• SQLite"])
        #expect(download.attemptCount == 2)
    }
}
