//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import GantryPlatform
import GantryZMQ
import Synchronization

/// Reads pages of lists for clients, on a socket and threads of its own: disks are slow, the deciding thread is not to wait for them, nor is one
/// client for the pages of another.
final class PageService: Sendable {
    private let stopping = Mutex(false)
    private let wake: EventSignal
    private let thread = Mutex<JoinableThread?>(nil)
    private let serving = ThreadRun()
    private let bound: EndpointBox
    private let onSuspect: @Sendable (ObjectDigest) -> Void
    private let onDamage: @Sendable (ObjectDigest) -> Void
    private let onMalformed: @Sendable () -> Void
    private let inspector = Mutex<DamageInspector?>(nil)
    private let threads = Mutex<PageThreads?>(nil)
    private let gate: PageGate
    /// Requests that are read at once before one is answered: a flood of them keeps nobody's page back.
    private static let readLimit = 256
    /// Replies that wait for one client in the socket, about 512 KiB each: beyond them it asks again.
    private static let sendLimit: Int32 = 8
    /// Requests of one client that wait in the socket to be read: a client asks for some pages at a time.
    private static let receiveLimit: Int32 = 1_000
    /// Bytes of the largest request that is taken: one names a feed, a view and a range.
    private static let requestByteLimit: Int64 = 4_096
    /// What its thread needs at most: it decodes a page, which is flat.
    private static let stackByteCount = 1 << 20
    /// How long after its last use a file is closed.
    private static let openFor = Duration.seconds(60)

    private let onFailure: @Sendable (ZMQError) -> Void

    /// A service that is not started yet. `onSuspect` is called on its thread for each object that a page could not be read of, by a name that
    /// the client may have made up; `onDamage` on another one for each that was given to `inspect` and stays unreadable; `onMalformed` on its
    /// thread for each request whose number cannot be read; `onFailure` if the service can serve no longer though nobody has stopped it.
    init(
        token: SharedToken? = nil, onSuspect: @escaping @Sendable (ObjectDigest) -> Void,
        onDamage: @escaping @Sendable (ObjectDigest) -> Void,
        onMalformed: @escaping @Sendable () -> Void,
        onFailure: @escaping @Sendable (ZMQError) -> Void
    ) throws(SystemError) {
        gate = PageGate(peers: .ownUser, token: token)
        self.onSuspect = onSuspect
        self.onDamage = onDamage
        self.onMalformed = onMalformed
        self.onFailure = onFailure
        wake = try EventSignal()
        bound = try EndpointBox()
    }

    /// Binds the socket and serves on a new thread; returns the address that is bound.
    ///
    /// - Parameter read: Reads a page, on any of several threads.
    func start(
        context: Context, endpoint: String, cache: FileCache, codec: some EnvelopeCodec,
        read: @escaping @Sendable (PageRequest, PageReader) -> PageReply = { $1.page($0, at: PageService.now) }
    ) throws(SystemError) -> Result<String, ZMQError> {
        let bound = bound
        let reader = PageReader(cache: cache)
        let inspector = try DamageInspector(cache: cache, onDamage: onDamage)
        try inspector.start()
        self.inspector.withLock { $0 = inspector }
        let threads = PageThreads(idleLimit: PagesUnderWay.quickLimit, wake: wake) { [self] request in
            reported(request, read(request, reader))
        }
        self.threads.withLock { $0 = threads }
        let serving = serving
        _ = serving.begin()
        try thread.withLock { slot throws(SystemError) in
            slot = try startThread(name: "pages", stackSize: Self.stackByteCount) {
                defer { serving.end() }
                do throws(ZMQError) {
                    let socket = try Socket<Router>(context)
                    try socket.apply(
                        OptionSheet(
                            sendHighWaterMark: Self.sendLimit, receiveHighWaterMark: Self.receiveLimit,
                            maximumMessageByteCount: Self.requestByteLimit))
                    try socket.bind(endpoint)
                    bound.set(.success(try socket.lastEndpoint))
                    try self.serve(socket, reader, threads, codec)
                } catch {
                    bound.set(.failure(error))
                    self.onFailure(error)
                }
            }
        }
        return bound.wait()
    }

    /// Has an object read again, whole, that a page could not be read of; `isPersistent`: nobody can load it again. Any thread may call it.
    func inspect(_ object: ObjectDigest, isPersistent: Bool) { inspector.withLock { $0?.suspect(object, isPersistent: isPersistent) } }

    /// Ends the threads and waits for each of them, at most so long: one that sits in a read of a folder that does not answer is left behind.
    func stop(atMost limit: Duration) {
        stopping.withLock { $0 = true }
        wake.signal()
        if serving.wait(atMost: limit) { thread.withLock { $0.take() }?.join() }
        threads.withLock { $0.take() }?.end(atMost: limit)
        inspector.withLock { $0.take() }?.stop(atMost: limit)
    }

    private func serve(
        _ socket: borrowing Socket<Router>, _ reader: PageReader, _ threads: PageThreads, _ codec: some EnvelopeCodec
    ) throws(ZMQError) {
        var poller = Poller()
        _ = try poller.add(socket)
        _ = poller.add(fileDescriptor: wake.fileDescriptor)
        var waiting = WaitingPages<PageClient>()
        var underWay = PagesUnderWay()
        while true {
            // Looked at after the drain: what is signaled from here on wakes the wait.
            wake.drain()
            guard !stopping.withLock({ $0 }) else { return }
            let mayBeMore = try receive(from: socket, into: &waiting, underWay, codec)
            for answer in threads.takeAnswers() {
                underWay.end(answer.reply.number, of: answer.client)
                // A slow or absent reader asks again; nothing is kept for it.
                _ = try socket.send(to: answer.client.connection, codec.encode(answer.reply))
            }
            for object in reader.takeSuspects() { onSuspect(object) }
            for (client, request) in Self.begin(&waiting, &underWay, threads) {
                _ = try socket.send(to: client.connection, codec.encode(Self.busy(request)))
            }
            guard !mayBeMore else { continue }
            _ = try poller.wait(upTo: gracePeriod(waiting, underWay, reader))
            reader.closeUnused(since: Self.now.advanced(by: .zero - Self.openFor))
        }
    }

    /// Begins as many reads as there is room for; returns what no thread was left for.
    private static func begin(
        _ waiting: inout WaitingPages<PageClient>, _ underWay: inout PagesUnderWay, _ threads: PageThreads
    ) -> [(client: PageClient, request: PageRequest)] {
        var refused: [(client: PageClient, request: PageRequest)] = []
        while underWay.hasPlace(at: now), let (client, request) = waiting.next(underWay.hasPlace(for:)) {
            do throws(SystemError) {
                try threads.begin(request, for: client)
                underWay.begin(request.number, of: client, at: now)
            } catch {
                refused.append((client, request))
            }
        }
        return refused
    }

    /// How long nothing is to be done unless something comes; nil: for ever.
    private func gracePeriod(
        _ waiting: WaitingPages<PageClient>, _ underWay: PagesUnderWay, _ reader: PageReader
    ) -> Duration? {
        let now = Self.now
        if !waiting.isEmpty, let next = underWay.nextPlaceAt(now) { return next.duration(since: now) }
        return reader.hasOpenFiles ? Self.openFor : nil
    }

    /// A list of a user's own whose file is not there is none that has been replaced: it is waited for.
    private func reported(_ request: PageRequest, _ reply: PageReply) -> PageReply {
        guard reply.failure?.code == .unknownItem, inspector.withLock({ $0?.awaits(request.content) }) == true else { return reply }
        return PageReply(number: request.number, failure: Failure(awaited: request.content))
    }

    static var now: MonotonicTime { MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds()) }

    /// Takes what has arrived; true: there may be more.
    private func receive(
        from socket: borrowing Socket<Router>, into waiting: inout WaitingPages<PageClient>, _ underWay: PagesUnderWay,
        _ codec: some EnvelopeCodec
    ) throws(ZMQError) -> Bool {
        var body = Message()
        for _ in 0..<Self.readLimit {
            switch try socket.receiveRouted(into: &body) {
            case .nothing: return false
            case .malformed: onMalformed()
            case .message(let peer):
                let credentials = body.peerCredentials
                guard gate.peers.admits(credentials) else { continue }
                let client = PageClient(peer, credentials)
                let request: PageRequest
                do throws(UnreadablePageRequest) {
                    request = try codec.decodePageRequest(body.copyBytes())
                } catch {
                    if error.number == 0 { onMalformed() }
                    _ = try socket.send(to: peer, codec.encode(PageReply(number: error.number, failure: Failure(error))))
                    continue
                }
                if let refusal = gate.refusal(of: request) {
                    _ = try socket.send(to: peer, codec.encode(refusal))
                    continue
                }
                // A repeat of what is being read is answered with it.
                if underWay.contains(request.number, of: client) { continue }
                switch waiting.add(request, of: client) {
                case .waits: break
                case .waitsInstead(let other): _ = try socket.send(to: other.peer.connection, codec.encode(Self.busy(other.request)))
                case .busy: _ = try socket.send(to: peer, codec.encode(Self.busy(request)))
                }
            }
        }
        return true
    }

    private static func busy(_ request: PageRequest) -> PageReply {
        let text = "\(WaitingPages<PageClient>.peerLimit) pages are under way for you, or too many for all (limit): wait for some first"
        return PageReply(number: request.number, failure: Failure(code: .busy, text: text, retryable: true))
    }
}

/// Hands the address that a thread has bound, or why it could not, to the thread that started it.
private final class EndpointBox: Sendable {
    private let result = Mutex<Result<String, ZMQError>?>(nil)
    private let signal: EventSignal

    init() throws(SystemError) { signal = try EventSignal() }

    /// Only the first result counts: a later one is the end of a thread that had bound before.
    func set(_ value: Result<String, ZMQError>) {
        result.withLock { if $0 == nil { $0 = value } }
        signal.signal()
    }

    func wait() -> Result<String, ZMQError> {
        while true {
            if let value = result.withLock({ $0 }) { return value }
            _ = try? NumberedDescriptor.waitReadable(signal.fileDescriptor, upTo: .seconds(5))
        }
    }
}
