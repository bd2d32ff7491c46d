//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import GantryFeedSettings
import GantryModel
import GantryWorker
import NIOCore
import NIOHTTP1
import Synchronization

/// One GET with all its bounds: allowed addresses, at most five redirects each checked anew, body size, three time-outs.
///
/// The addresses that were checked are the ones that are connected to, one after the other; certificates are checked for the name. Each connection
/// has a client of its own, so that ending the task ends the connection.
struct HTTPTransfer: Sendable {
    /// Where the body goes.
    struct Sink: Sendable {
        /// Called once before the body's first byte is read: makes room for as many bytes as are announced, else for as many as may come.
        let begin: @Sendable (_ byteCount: Int) async throws -> Void
        /// Receives the body's parts: bytes, how many came so far, how many there will be.
        let take: @Sendable (_ part: [UInt8], _ received: Int, _ total: Int?) async throws -> Void
    }

    static let redirectLimit = 5

    let policy: HTTPPolicy
    let limits: HTTPLimits
    /// The most that the body may have.
    let bound: BodyBound
    let resolve: @Sendable (String, Int) async throws -> [String]
    var closing = ClosingClients()
    var clock: any Clock<Duration> = ContinuousClock()

    /// Does work that has this transfer in it, with the time-outs around all of it: the disk before and behind can be as silent as the origin.
    ///
    /// - Parameter work: ends at once when it is cancelled.
    /// - Throws: `LoaderFailure`, `timedOut` once a bound is reached; `CancellationError`, and what `work` throws.
    func timed<Value: Sendable>(
        _ target: HTTPTarget, _ work: @escaping @Sendable (TransferTimer) async throws -> Value
    ) async throws -> Value {
        let timer = Self.timer(limits, clock)
        do {
            return try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await work(timer) }
                group.addTask { throw LoaderFailure(try await timer.untilReached(), of: target, limits) }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    private static func timer(_ limits: HTTPLimits, _ clock: some Clock<Duration>) -> TransferTimer { TransferTimer(limits, clock: clock) }

    /// Fetches the body.
    ///
    /// - Throws: `LoaderFailure`, `CancellationError`, and what `sink` throws.
    func fetch(_ first: HTTPTarget, _ timer: TransferTimer, into sink: Sink) async throws {
        var hop = (target: first, addresses: try await permittedAddresses(of: first))
        // Where the configured target was found.
        var configured: String?
        for _ in 0...Self.redirectLimit {
            let (location, address) = try await exchange(hop.target, at: hop.addresses, timer, into: sink)
            guard let location else { return }
            let origin = configured ?? address
            configured = origin
            let next = try hop.target.redirected(to: location)
            let addresses = try await permittedAddresses(of: next, redirectedFrom: first).filter {
                next.mayFollow(first, at: origin, to: $0)
            }
            guard !addresses.isEmpty else { throw LoaderFailure(redirect: first, to: next) }
            hop = (next, addresses)
            timer.redirected()
        }
        throw LoaderFailure(
            .tooManyRedirects, "\(first.shown) redirects more than \(Self.redirectLimit) times: configure the address where the data is")
    }

    /// The addresses of the host that may be asked, at least one.
    /// - Parameter first: what was configured, where a redirect names the target: to allow the target's address would not be enough then.
    private func permittedAddresses(of target: HTTPTarget, redirectedFrom first: HTTPTarget? = nil) async throws -> [String] {
        let addresses = try await resolve(target.host, target.port)
        try Task.checkCancellation()
        guard !addresses.isEmpty else {
            throw LoaderFailure(
                .unreachable, "the host of \(target.shown) is not known: check the name and the network, then retry", retryable: true)
        }
        let permitted = addresses.filter { policy.permits(host: target.host, address: $0, port: target.port) }
        guard !permitted.isEmpty else {
            throw first.map { LoaderFailure(redirect: $0, to: target) } ?? LoaderFailure(forbidden: target)
        }
        return permitted
    }

    /// One request at the first address that answers; says where a redirect leads, nil when the body came, and which address it was.
    ///
    /// All addresses together have the connect time-out: each gets an equal part of what is left of it, but no less than a slow handshake or a
    /// lost first packet (1 s) takes.
    private func exchange(
        _ target: HTTPTarget, at addresses: [String], _ timer: TransferTimer, into sink: Sink
    ) async throws -> (location: String?, address: String) {
        var firstFailure: LoaderFailure?
        let begun = timer.now
        for (index, address) in addresses.enumerated() {
            try closing.admit(target)
            let left = limits.connectTimeout - (timer.now - begun)
            guard index == 0 || left > .zero else { break }
            let share = Self.connectTime(of: left, for: addresses.count - index)
            let client = client(of: target, at: address, connectTimeout: share)
            defer { closing.close(client) }
            let response: HTTPClientResponse
            do {
                response = try await head(of: target, through: client, timer)
            } catch let failure as LoaderFailure where failure.code == .unreachable || failure.code == .timedOut {
                try Task.checkCancellation()
                // The system names the most likely address first, so that one's failure tells most.
                firstFailure = firstFailure ?? failure
                continue
            }
            return (try await receive(response, of: target, timer, into: sink), address)
        }
        throw firstFailure ?? LoaderFailure(forbidden: target)
    }

    /// What the next one of so many addresses gets of the time that is left.
    static func connectTime(of left: Duration, for count: Int) -> Duration { max(left / count, min(left, leastConnectTime)) }

    /// What a connection gets at least, while the time-out lasts.
    private static let leastConnectTime = Duration.seconds(2)

    private func client(of target: HTTPTarget, at address: String, connectTimeout: Duration) -> HTTPClient {
        // No read time-out here: it would go on while the sink waits for the disk. `TransferWatch` has the one that counts.
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: Self.amount(connectTimeout)), decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = [target.host: address]
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private func receive(
        _ response: HTTPClientResponse, of target: HTTPTarget, _ timer: TransferTimer, into sink: Sink
    ) async throws -> String? {
        if [301, 302, 303, 307, 308].contains(response.status.code), let location = response.headers.first(name: "Location") {
            return location
        }
        guard response.status == .ok else { throw LoaderFailure(status: response.status, of: target) }
        if let coding = response.headers.first(name: "Content-Encoding"), coding.lowercased() != "identity" {
            throw LoaderFailure(
                .invalidData, "\(target.shown) sent a compressed body although none was requested: turn compression off for this URL")
        }
        let total = response.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let total, total > bound.byteCount { throw LoaderFailure(body: target, over: bound) }
        try await timer.during(.waitingForMemory) { try await sink.begin(max(total ?? bound.byteCount, 0)) }
        var received = 0
        var parts = response.body.makeAsyncIterator()
        while let part = try await next(&parts, of: target, timer) {
            received += part.count
            guard received <= bound.byteCount else { throw LoaderFailure(body: target, over: bound) }
            try await sink.take(part, received, total)
        }
        try Task.checkCancellation()
        return nil
    }

    private func head(of target: HTTPTarget, through client: HTTPClient, _ timer: TransferTimer) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: target.text)
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Accept-Encoding", value: "identity")
        request.headers.add(name: "User-Agent", value: "gantry")
        do {
            let response = try await timer.during(.waitingForOrigin) { try await client.execute(request, deadline: .distantFuture) }
            timer.answered()
            return response
        } catch {
            throw LoaderFailure(transfer: error, of: target, hadBytes: false)
        }
    }

    private func next(
        _ parts: inout HTTPClientResponse.Body.AsyncIterator, of target: HTTPTarget, _ timer: TransferTimer
    ) async throws -> [UInt8]? {
        do {
            guard var buffer = try await timer.during(.waitingForOrigin, { try await parts.next() }) else { return nil }
            return buffer.readBytes(length: buffer.readableBytes)
        } catch {
            throw LoaderFailure(transfer: error, of: target, hadBytes: true)
        }
    }

    /// At least a millisecond, since none means for ever there, and at most a day.
    private static func amount(_ time: Duration) -> TimeAmount {
        .nanoseconds(max(.milliseconds(1), min(time, .seconds(86_400))).wholeNanoseconds)
    }
}

/// The most bytes that a body may have, and what to do about one that has more.
struct BodyBound: Hashable, Sendable {
    let byteCount: Int
    /// The next step for people.
    let nextStep: String

    /// Of a list: the configuration's.
    init(list limits: HTTPLimits) { (byteCount, nextStep) = (limits.maxBodyBytes, "ask for less, or raise http.max-body") }

    /// Of a detail: what clients can hold, and never more than the configuration's.
    init(detail limits: HTTPLimits) {
        let largest = MessageBounds.storedDetailByteCount
        guard limits.maxBodyBytes > largest else {
            self = BodyBound(list: limits)
            return
        }
        self = BodyBound(byteCount: largest, nextStep: "no detail is larger; choose an address that answers with less")
    }

    private init(byteCount: Int, nextStep: String) { (self.byteCount, self.nextStep) = (byteCount, nextStep) }
}

/// Closes the clients of transfers that have ended, without holding up anybody.
///
/// A client cannot give up a connection that is being made: it has closed when the connection stands or the connect time-out is over. Whoever
/// cancelled the transfer, or lost the lease of its job, is not to wait for that; so such clients are bounded here.
final class ClosingClients: Sendable {
    /// Twice the most slots that a worker has: each can leave one, and another within the same connect time-out.
    private static let usualLimit = 128

    private let limit: Int
    private let closing = Mutex(0)

    init(limit: Int = ClosingClients.usualLimit) { self.limit = limit }

    /// Clients that are not closed yet.
    var count: Int { closing.withLock { $0 } }

    /// Refuses a transfer while too many earlier ones are not closed.
    /// - Throws: `busy`.
    func admit(_ target: HTTPTarget) throws(LoaderFailure) {
        let count = count
        guard count >= limit else { return }
        throw LoaderFailure(
            .busy, "\(count) connections of earlier jobs are still being made: check the network to \(target.shown), then retry in 10 s",
            retryable: true)
    }

    /// Closes a client whose request has ended, and returns at once.
    func close(_ client: HTTPClient) {
        closing.withLock { $0 += 1 }
        Task.detached {
            // What a shutdown complains about is of no use to a transfer that has its result.
            try? await client.shutdown()
            self.closing.withLock { $0 -= 1 }
        }
    }
}
