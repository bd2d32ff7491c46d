//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
public import GantryModel
import GantrySettings
import GantryWire
import Loading

/// A client of one front: requests, jobs, feeds, pages and live topics.
///
/// ```swift
/// let client = try await GantryClient()
/// let answer = try await client.load(key)
/// if let job = answer.job {
///     let ended = try await client.wait(for: job)
///     print(ended.state.name)
/// }
/// await client.close()
/// ```
///
/// It owns one thread with all its sockets; calls may come from any task. It reconnects by itself, survives a restart of the front and
/// repeats what was not answered under the same number, so a repeat never does anything twice. A call whose session was lost in the
/// meantime fails with `outcomeUnknown` if it could have changed something.
///
/// Every call throws `ClientError`. Cancelling the calling task ends the wait at once with `cancelled`; what was sent already may still be
/// carried out. Only `submit` waits up to two seconds for the answer to jobs that are on their way, so that their ids are known.
public final class GantryClient: Sendable {
    /// How the client behaves.
    package let options: ClientOptions
    let driver: ClientDriver
    /// Which feeds its remote feeds keep.
    let attachments = FeedAttachments()

    /// Finds the front as the command line does, connects and opens a session.
    ///
    /// The first that says something: `GANTRY_URL` (a data folder, or `tcp://127.0.0.1:7701`), `GANTRY_DATA`, `data:` of the configuration
    /// file (`GANTRY_CONFIG`, `./gantry.yaml`, `~/.config/gantry/gantry.yaml`, `/etc/gantry/gantry.yaml`),
    /// `${XDG_STATE_HOME:-~/.local/state}/gantry`. Over TCP the token is read there too, unless the options have one.
    /// - Throws: `invalidInput` for a place that is none and for a mistake in the file, `notConnected` when no front answers in time,
    ///   `refused` when it does not let the client in.
    public convenience init(options: ClientOptions = ClientOptions()) async throws(ClientError) {
        try await self.init(options: options, environment: .process)
    }

    convenience init(options: ClientOptions, environment: Environment) async throws(ClientError) {
        var options = options
        let place: FrontPlace
        do throws(ConfigurationError) { place = try .find(environment: environment) } catch {
            throw ClientError(
                .invalidInput, "no front is chosen", nextStep: "name the front with GANTRY_URL", because: ErrorCause(error))
        }
        if options.token.isEmpty { options.token = place.readToken() }
        try await self.init(connect: Endpoint(address: place.endpoints.requests), options: options)
    }

    /// Connects and opens a session.
    /// - Throws: `invalidInput` for an address that is none or not of this machine, `notConnected` when no front answers in time, `refused` when it
    ///   does not let the client in.
    public convenience init(connect endpoint: Endpoint, options: ClientOptions = ClientOptions()) async throws(ClientError) {
        try await self.init(connect: endpoint, options: options, codec: WireCodec())
    }

    init(connect endpoint: Endpoint, options: ClientOptions, codec: some EnvelopeCodec) async throws(ClientError) {
        try endpoint.check()
        self.options = options
        driver = try ClientDriver.start(endpoint, options, codec)
        do {
            _ = try await driver.ask(within: options.connectTimeout, nil)
        } catch {
            driver.close()
            throw error
        }
    }

    deinit { driver.close() }

    /// Sends close, so that the session's attachments end at once, and waits for at most a second until it has left. Calls that still wait
    /// fail with `closed`, observations end. A client that is merely dropped sends close too, if the process lives long enough.
    public func close() async { await driver.closeAndWait() }

    /// Keeps a replica of a topic for as long as somebody reads it, and gives its states.
    ///
    /// They end after one with a `failure`, which is not verified, where the front has no such topic: nothing throws then.
    /// - Parameter limit: how many states wait for a slow reader, at least 1; the newest is never lost.
    public func observe(_ topic: Topic, limit: Int = 1) -> TopicStates { TopicStates(client: self, topic: topic, limit: limit) }

    /// Asks, and reads the answer as the request says; a refusal is thrown.
    /// - Parameters:
    ///   - timeout: how long to wait; nil: as long as the options say, or for ever where the end of a job is waited for.
    ///   - grace: how long the answer is still waited for once the calling task is cancelled.
    func ask<Value>(
        _ request: TypedRequest<Value>, _ timeout: Duration? = nil, grace: Duration = .zero
    ) async throws(ClientError) -> Value {
        let limit = timeout ?? (request.awaitsOutcome ? nil : options.requestTimeout)
        let answer = try await driver.ask(within: limit, awaitsOutcome: request.awaitsOutcome, grace: grace, request.command)
        if case .reply(.refused(let failure, let retryAfter), _) = answer {
            throw ClientError(failure, retryAfter: retryAfter)
        }
        guard let value = request.value(answer) else { throw Self.unexpected }
        return value
    }

    /// Whether the front answers now.
    public var availability: FrontAvailability { driver.availability.currentValue }

    /// Whether the front answers: now, and each change of it for as long as it is read.
    public var availabilityChanges: any AsyncSequence<FrontAvailability, Never> & Sendable { driver.availability.stream }

    static let unexpected = ClientError(
        .unexpectedAnswer, "the front's answer does not fit the request", nextStep: "use a client and a front of the same release")
}

extension GantryClient {
    /// Runs work that reads topics, and ends it with `timedOut` after a while.
    /// - Parameters:
    ///   - awaited: what is waited for, as the beginning of a sentence, for example "the end of job 4".
    ///   - nextStep: what to do when it did not come.
    func withLimit<Value: Sendable>(
        _ limit: Duration?, awaiting awaited: String,
        nextStep: String = "see with `gantry status` whether the front answers, or wait longer",
        _ body: @escaping @Sendable (GantryClient) async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        guard let limit else { return try await body(self) }
        let result = await withTaskGroup(of: Result<Value, ClientError>?.self) { group in
            group.addTask {
                do throws(ClientError) { return .success(try await body(self)) } catch { return .failure(error) }
            }
            group.addTask {
                // Ends early only by cancellation: then the work itself says so.
                guard (try? await Task.sleep(for: limit)) != nil else { return nil }
                return .failure(
                    ClientError(.timedOut, "\(awaited) did not come within \(limit)", nextStep: nextStep, isRetryable: true))
            }
            for await result in group {
                guard let result else { continue }
                group.cancelAll()
                return result
            }
            return .failure(ClientCalls.cancelled)
        }
        return try result.get()
    }
}

/// The states of a topic as they come, one for each event of its replica; each iteration reads on its own.
///
/// A slow reader never holds anything up: at most `limit` states wait for it, the newest always among them. The sequence ends when the
/// client is closed or the reading task is cancelled, and after a state with a `failure`: the client cannot keep that topic. Losing the
/// front does not end it: the states go on when it is back.
public struct TopicStates: AsyncSequence, Sendable {
    let client: GantryClient
    let topic: Topic
    let limit: Int

    /// Begins to read: the first reader of a topic makes the client keep a replica of it, the last one ends that.
    public func makeAsyncIterator() -> Iterator { Iterator(Reader(client, topic, limit)) }

    /// One reading of the states.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: Reader

        init(_ reader: Reader) { self.reader = reader }

        /// The next state, nil at the end.
        public mutating func next() async -> TopicState? { await reader.mailbox.next() }
    }

    /// Holds the replica for as long as the iterator lives.
    final class Reader: Sendable {
        let mailbox: TopicMailbox
        private let client: GantryClient
        private let topic: Topic

        init(_ client: GantryClient, _ topic: Topic, _ limit: Int) {
            (self.client, self.topic, mailbox) = (client, topic, TopicMailbox(limit: limit))
            client.driver.add(mailbox, to: topic)
        }

        deinit { client.driver.remove(mailbox, from: topic) }
    }
}
