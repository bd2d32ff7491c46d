//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// A running sample origin and its faults.
struct SampleOrigin: Sendable {
    let port: Int
    /// Kept so that it lives as long as this value; nil when `up` runs it.
    var process: Running?

    /// The built-in sample as a file for this origin.
    func sample(_ text: String) -> String { text.replacingOccurrences(of: "127.0.0.1:7711", with: "127.0.0.1:\(port)") }

    /// Sets a fault, as JSON.
    func fault(_ json: String) async throws { _ = try await send("PUT", "/faults", json) }

    /// Removes every fault.
    func heal() async throws { _ = try await send("DELETE", "/faults") }

    /// Waits until a counter of a path has that value, for example `inFlight=1`; the number of requests of the path.
    @discardableResult
    func wait(_ path: String, _ goal: String) async throws -> Int {
        let answer = try await send("GET", "/counters?path=\(path)&\(goal)&waitSeconds=60")
        let object = try JSONSerialization.jsonObject(with: answer) as? [String: Any]
        let items = object?["items"] as? [[String: Any]]
        return items?.first?["requests"] as? Int ?? 0
    }

    private func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> Data {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .RAW(value: method)
        if let body { request.body = .bytes(Array(body.utf8)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(70))
        let data = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        guard response.status == .ok else {
            throw EndToEndError("the origin answers \(response.status.code) to \(path): \(String(decoding: data, as: UTF8.self))")
        }
        return data
    }
}
