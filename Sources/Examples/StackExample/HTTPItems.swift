//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import Foundation
import Loading
import NIOCore
import NIOHTTP1

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
