//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
    private let bound: EndpointBox
    private let onDamage: @Sendable (ObjectDigest) -> Void
    private let onFailure: @Sendable (ZMQError) -> Void

    /// A service that is not started yet. On its thread `onDamage` is called for each object that cannot be read, and `onFailure` if it can
    /// serve no longer though nobody has stopped it.
    init(
        onDamage: @escaping @Sendable (ObjectDigest) -> Void, onFailure: @escaping @Sendable (ZMQError) -> Void
    ) throws(SystemError) {
        self.onDamage = onDamage
        self.onFailure = onFailure
        wake = try EventSignal()
        bound = try EndpointBox()
    }

    /// Binds the socket and serves on a new thread; returns the address that is bound.
    func start(
        context: Context, endpoint: String, cache: FileCache, codec: some EnvelopeCodec
    ) throws(SystemError) -> Result<String, ZMQError> {
        let bound = bound
        try thread.withLock { slot throws(SystemError) in
            slot = try startThread(name: "pages", stackSize: 1 << 20) {
                do throws(ZMQError) {
                    let socket = try Socket<Router>(context)
                    try socket.apply(OptionSheet(sendHighWaterMark: 1_000, receiveHighWaterMark: 1_000, maximumMessageByteCount: 65_536))
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

    /// Ends the thread and waits for it.
    func stop() {
        stopping.withLock { $0 = true }
        wake.signal()
        thread.withLock { $0.take() }?.join()
    }

    private func serve(_ socket: borrowing Socket<Router>, _ reader: PageReader, _ codec: some EnvelopeCodec) throws(ZMQError) {
        var poller = Poller()
        _ = try poller.add(socket)
        _ = poller.add(fileDescriptor: wake.fileDescriptor)
        var reader = reader
        var waiting = WaitingPages<RoutingID>()
        while !stopping.withLock({ $0 }) {
            try receive(from: socket, into: &waiting, codec)
            guard let (peer, request) = waiting.next() else {
                _ = try poller.wait(upTo: nil)
                continue
            }
            // A slow or absent reader asks again; nothing is kept for it.
            _ = try socket.send(to: peer, codec.encode(reader.page(request)))
            for object in reader.takeDamaged() { onDamage(object) }
        }
    }

    private func receive(
        from socket: borrowing Socket<Router>, into waiting: inout WaitingPages<RoutingID>, _ codec: some EnvelopeCodec
    ) throws(ZMQError) {
        var body = Message()
        while !waiting.isFull {
            switch try socket.receiveRouted(into: &body) {
            case .nothing: return
            case .malformed: continue
            case .message(let peer):
                guard let request = try? codec.decodePageRequest(body.copyBytes()) else { continue }
                waiting.add(request, of: peer)
            }
        }
    }
}
