//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import FeedSettings
import Model
import NIOCore
import NIOHTTP1
import WorkerKit

/// One GET with all its bounds: allowed addresses, at most five redirects each checked anew, body size, three time-outs.
///
/// The address that was checked is the one that is connected to; certificates are checked for the name. Each transfer has a client and connection of its own,
/// so that ending the task ends the connection.
struct HTTPTransfer: Sendable {
    /// Receives the body's parts: bytes, how many came so far, how many there will be.
    typealias Sink = @Sendable (_ part: [UInt8], _ received: Int, _ total: Int?) async throws -> Void

    static let redirectLimit = 5

    let policy: HTTPPolicy
    let limits: HTTPLimits
    let resolve: @Sendable (String, Int) async throws -> [String]

    /// Fetches the body; returns what messages call its address.
    ///
    /// - Throws: `LoaderFailure`, `CancellationError`, and what `sink` throws.
    func fetch(_ address: String, into sink: @escaping Sink) async throws -> String {
        let target = try HTTPTarget(address)
        let total = limits.totalTimeoutSeconds
        do {
            return try await withThrowingTaskGroup(of: String.self) { group in
                group.addTask { try await follow(target, into: sink) }
                group.addTask {
                    try await Task.sleep(for: .seconds(total))
                    throw LoaderFailure(
                        .timedOut, "\(target.shown) took longer than \(total) s: ask for less, or raise http.timeout.total", retryable: true
                    )
                }
                defer { group.cancelAll() }
                guard let shown = try await group.next() else { throw CancellationError() }
                return shown
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    private func follow(_ first: HTTPTarget, into sink: Sink) async throws -> String {
        var target = first
        for _ in 0...Self.redirectLimit {
            guard let location = try await exchange(target, into: sink) else { return target.shown }
            target = try target.redirected(to: location)
        }
        throw LoaderFailure(
            .tooManyRedirects, "\(first.shown) redirects more than \(Self.redirectLimit) times: configure the address where the data is")
    }

    /// The first address of the host that may be asked.
    private func permittedAddress(of target: HTTPTarget) async throws -> String {
        let addresses: [String]
        do {
            addresses = try await resolve(target.host, target.port)
        } catch {
            throw LoaderFailure(
                .unreachable, "the host of \(target.shown) is not known: check the name and the network, then retry", retryable: true)
        }
        let permitted = addresses.first { policy.permits(host: target.host, address: $0, port: target.port) }
        guard let permitted else { throw LoaderFailure(forbidden: target) }
        return permitted
    }

    /// One request; answers where a redirect leads, nil when the body came.
    private func exchange(_ target: HTTPTarget, into sink: Sink) async throws -> String? {
        let address = try await permittedAddress(of: target)
        try Task.checkCancellation()
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: Self.amount(limits.connectTimeoutSeconds), read: Self.amount(limits.idleTimeoutSeconds)),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = [target.host: address]
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let location = try await receive(target, through: client, into: sink)
            try? await client.shutdown()
            return location
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private func receive(_ target: HTTPTarget, through client: HTTPClient, into sink: Sink) async throws -> String? {
        var request = HTTPClientRequest(url: target.text)
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Accept-Encoding", value: "identity")
        request.headers.add(name: "User-Agent", value: "gantry")
        let response: HTTPClientResponse
        do {
            response = try await client.execute(request, deadline: .distantFuture)
        } catch {
            throw LoaderFailure(transfer: error, of: target, hadBytes: false)
        }
        if [301, 302, 303, 307, 308].contains(response.status.code), let location = response.headers.first(name: "Location") {
            return location
        }
        guard response.status == .ok else { throw LoaderFailure(status: response.status, of: target) }
        if let coding = response.headers.first(name: "Content-Encoding"), coding.lowercased() != "identity" {
            throw LoaderFailure(.invalidData, "\(target.shown) answers in a coding that was not asked for: make the origin send it plainly")
        }
        let total = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let total, total > limits.maxBodyBytes { throw LoaderFailure(body: target, limit: limits.maxBodyBytes) }
        var received = 0
        var parts = response.body.makeAsyncIterator()
        while let part = try await next(&parts, of: target) {
            received += part.count
            guard received <= limits.maxBodyBytes else { throw LoaderFailure(body: target, limit: limits.maxBodyBytes) }
            try await sink(part, received, total)
        }
        try Task.checkCancellation()
        return nil
    }

    private func next(_ parts: inout HTTPClientResponse.Body.AsyncIterator, of target: HTTPTarget) async throws -> [UInt8]? {
        do {
            guard var buffer = try await parts.next() else { return nil }
            return buffer.readBytes(length: buffer.readableBytes)
        } catch {
            throw LoaderFailure(transfer: error, of: target, hadBytes: true)
        }
    }

    private static func amount(_ seconds: Double) -> TimeAmount {
        .nanoseconds(Int64(max(0.001, min(seconds, 86_400)) * 1_000_000_000))
    }
}
