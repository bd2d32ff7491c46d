//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import FileCache
import Model
import Platform
import Synchronization
import ZMQ

/// Reads pages of lists for clients, on a thread and a socket of its own: disks are slow, the deciding thread is not to wait for them.
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
    private let gate: PageGate
    /// Requests that are read at once before one is answered: a flood of them keeps nobody's page back.
    private static let readLimit = 256
    /// Replies that wait for one client in the socket, about 512 KiB each: beyond them it asks again.
    private static let sendLimit: Int32 = 8
    /// Milliseconds after which a file that nobody reads is closed.
    private static let openMilliseconds: Int64 = 60_000

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
    func start(
        context: Context, endpoint: String, cache: FileCache, codec: some EnvelopeCodec
    ) throws(SystemError) -> Result<String, ZMQError> {
        let bound = bound
        let inspector = try DamageInspector(cache: cache, onDamage: onDamage)
        try inspector.start()
        self.inspector.withLock { $0 = inspector }
        let serving = serving
        _ = serving.begin()
        try thread.withLock { slot throws(SystemError) in
            slot = try startThread(name: "pages", stackSize: 1 << 20) {
                defer { serving.end() }
                do throws(ZMQError) {
                    let socket = try Socket<Router>(context)
                    try socket.apply(
                        OptionSheet(sendHighWaterMark: Self.sendLimit, receiveHighWaterMark: 1_000, maximumMessageByteCount: 4_096))
                    try socket.bind(endpoint)
                    bound.set(.success(try socket.lastEndpoint))
                    try self.serve(socket, PageReader(cache: cache), codec)
                } catch {
                    bound.set(.failure(error))
                    self.onFailure(error)
                }
            }
        }
        return bound.wait()
    }

    /// Has an object read again, whole, that a page could not be read of; `isKept`: nobody can load it again. Any thread may call it.
    func inspect(_ object: ObjectDigest, isKept: Bool) { inspector.withLock { $0?.suspect(object, isKept: isKept) } }

    /// Ends the threads and waits for each of them, at most so long: one that sits in a read of a folder that does not answer is left behind.
    func stop(atMost limit: DispatchTimeInterval) {
        stopping.withLock { $0 = true }
        wake.signal()
        if serving.wait(atMost: limit) { thread.withLock { $0.take() }?.join() }
        inspector.withLock { $0.take() }?.stop(atMost: limit)
    }

    private func serve(
        _ socket: borrowing Socket<Router>, _ reader: PageReader, _ codec: some EnvelopeCodec
    ) throws(ZMQError) {
        var poller = Poller()
        _ = try poller.add(socket)
        _ = poller.add(fileDescriptor: wake.fileDescriptor)
        var reader = reader
        var waiting = WaitingPages<RoutingID>()
        while !stopping.withLock({ $0 }) {
            let mayBeMore = try receive(from: socket, into: &waiting, codec)
            guard let (peer, request) = waiting.next() else {
                guard !mayBeMore else { continue }
                _ = try poller.wait(upTo: reader.hasOpenFiles ? .milliseconds(Self.openMilliseconds) : nil)
                reader.closeUnused(since: Self.now - Self.openMilliseconds)
                continue
            }
            // A slow or absent reader asks again; nothing is kept for it.
            _ = try socket.send(to: peer, codec.encode(page(request, reader: &reader)))
            for object in reader.takeSuspects() { onSuspect(object) }
        }
    }

    /// A list of a user's own whose file is not there is none that has been replaced: it is waited for.
    private func page(_ request: PageRequest, reader: inout PageReader) -> PageReply {
        let reply = reader.page(request, at: Self.now)
        guard reply.failure?.code == .unknownItem, inspector.withLock({ $0?.awaits(request.content) }) == true else { return reply }
        return PageReply(number: request.number, failure: Failure(awaited: request.content))
    }

    private static var now: Int64 { SystemClock.monotonicNanoseconds() / 1_000_000 }

    /// Takes what has arrived; true: there may be more.
    private func receive(
        from socket: borrowing Socket<Router>, into waiting: inout WaitingPages<RoutingID>, _ codec: some EnvelopeCodec
    ) throws(ZMQError) -> Bool {
        var body = Message()
        for _ in 0..<Self.readLimit {
            switch try socket.receiveRouted(into: &body) {
            case .nothing: return false
            case .malformed: onMalformed()
            case .message(let peer):
                guard gate.peers.admits(body.peerCredentials) else { continue }
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
                switch waiting.add(request, of: peer) {
                case .waits: break
                case .waitsInstead(let other): _ = try socket.send(to: other.peer, codec.encode(Self.busy(other.request)))
                case .busy: _ = try socket.send(to: peer, codec.encode(Self.busy(request)))
                }
            }
        }
        return true
    }

    private static func busy(_ request: PageRequest) -> PageReply {
        let text = "\(WaitingPages<RoutingID>.peerLimit) pages are under way for you, or too many for all (limit): wait for some first"
        return PageReply(number: request.number, failure: Failure(code: .busy, text: text, retryable: true))
    }
}
