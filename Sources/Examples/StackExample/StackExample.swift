//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import Foundation
import GantryClient
import GantryModel
import Loading
import NIOCore
import NIOHTTP1

/// Stacks all decorators over a list that fails four times, and draws it live: once loaded in this process over HTTP, once by a front.
///
/// `swift run StackExample http` needs `gantry sample-origin`, `swift run StackExample feed` needs `gantry up`, as does `steps`, which runs what the
/// documentation of the library shows first, and ends with Ctrl-C.
@main
@MainActor
struct StackExample {
    static func main() async {
        do {
            try await run()
        } catch let error as ClientError {
            // Two lines and the code, as the command line ends.
            end(with: error.summary, next: error.nextStep, code: error.code.exitCode)
        } catch {
            end(with: error.localizedDescription, next: "start `gantry up`, or name the origin with GANTRY_ORIGIN", code: 3)
        }
    }

    private static func end(with message: String, next: String, code: Int32) -> Never {
        let lines = ["error: \(message)", next.isEmpty ? nil : "next:  \(next)"].compactMap { $0 }
        FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
        exit(code)
    }

    private static func run() async throws {
        let origin = FlakyOrigin(address: ProcessInfo.processInfo.environment["GANTRY_ORIGIN"] ?? "http://127.0.0.1:7711")
        switch CommandLine.arguments.dropFirst().first {
        case "http":
            try await origin.arm(failures: 4)
            try await Show(title: "http", base: HTTPItems(url: origin.list)).run()
            try await origin.disarm()
        case "feed":
            let client = try await GantryClient()
            guard let key = FeedKey(text: "items?parameter=sample&count=100") else { return }
            try await origin.arm(failures: 4)
            try await Show(title: "feed", base: items(client, key)).run()
            try await origin.disarm()
            await client.close()
        case "steps": try await FirstSteps.all()
        default:
            print("usage: StackExample http | feed | steps    (GANTRY_ORIGIN names the origin, GANTRY_URL the front)")
        }
    }

    static func items(_ client: GantryClient, _ key: FeedKey) -> RemoteFeed<[Item]> {
        let items = RemoteFeed(client, key, limit: 100, decoding: Item.self)
        return items
    }
}

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

/// How the example draws a loader of items, wherever they are loaded.
@MainActor
enum ItemsView {
    static func make(of loader: some Loadable<[Item]>) -> some View {
        LoadingView(loader: loader, loadOnAppear: false) { items in
            List(items.prefix(3)) { item in
                Text(item.title)
            }
            Text("\(items.count) items")
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

/// Loads a list over HTTP in this process, with progress.
@MainActor
final class HTTPItems: BaseLoadable<[Item]> {
    private let url: String

    init(url: String) {
        self.url = url
        super.init()
    }

    override func fetch() async throws -> [Item] {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        guard response.status == .ok else { throw StatusError(status: Int(response.status.code)) }
        let total = response.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        var bytes: [UInt8] = []
        for try await part in response.body {
            bytes += part.readableBytesView
            let percent = total > 0 ? bytes.count * 100 / total : nil
            updateState(.loading(LoadingProgress(message: "\(bytes.count) of \(total) bytes", percent: percent)))
        }
        return try JSONDecoder().decode([Item].self, from: Data(bytes))
    }
}

/// What the example reads of an item of the origin's list `/items`, and of the feed `items`.
struct Item: Hashable, Sendable, Decodable {
    let title: String
}

/// The origin answered with a status other than 200.
struct StatusError: LocalizedError, Equatable {
    let status: Int

    var errorDescription: String? { "The origin answered with status \(status)." }
}

/// The sample origin, told to be slow and to fail.
struct FlakyOrigin {
    /// Its address without a path, for example `http://127.0.0.1:7711`.
    let address: String

    /// The list that the example loads.
    var list: String { address + "/items?parameter=sample&count=100" }

    /// The next answers about the list are failures; all others take their time.
    func arm(failures: Int) async throws {
        try await send(.PUT, #"{"path":"/items","status":503,"times":\#(failures)}"#)
        try await send(.PUT, #"{"path":"/items*","bytesPerSecond":6000}"#)
    }

    /// Takes all faults away.
    func disarm() async throws {
        try await send(.DELETE, "")
    }

    private func send(_ method: HTTPMethod, _ body: String) async throws {
        var request = HTTPClientRequest(url: address + "/faults")
        request.method = method
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw StatusError(status: Int(response.status.code)) }
    }
}
