//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// One frame in libzmq's memory. Decode it to owned values at once and re-use it for the next receive.
///
/// It owns a heap `zmq_msg_t`, because small payloads live inside that structure and pointers into a moved one dangle.
/// Bytes leave through `withBytes` and the copying methods only.
@safe public struct Message: ~Copyable {
    let pointer: UnsafeMutablePointer<zmq_msg_t>

    /// An empty message to receive into.
    public init() {
        unsafe pointer = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
        _ = unsafe zmq_msg_init(pointer)
    }

    deinit {
        _ = unsafe zmq_msg_close(pointer)
        unsafe pointer.deallocate()
    }

    /// The size in bytes.
    public var byteCount: Int { unsafe zmq_msg_size(pointer) }

    /// Lends the bytes to `body`.
    /// - Returns: what `body` returns.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe buffer
        return try unsafe body(bytes.span)
    }

    /// A copy of the bytes.
    /// - Complexity: O(size), one allocation and one block copy.
    public borrowing func copyBytes() -> [UInt8] {
        unsafe Array(buffer)
    }

    /// Replaces the content of `target`, keeping its memory for the next message.
    /// - Complexity: O(size), no allocation once `target` is large enough.
    public borrowing func copyBytes(into target: inout [UInt8]) {
        target.removeAll(keepingCapacity: true)
        unsafe target.append(contentsOf: buffer)
    }

    /// A property of the connection the message came by; nil if it has none of that name.
    ///
    /// Ask the body frame: a router's prefetch loses the properties of the routing frame. Costs a look-up by name, so ask
    /// once for each session and not for each message.
    public borrowing func metadata(_ property: MetadataProperty) -> String? {
        guard let text = unsafe zmq_msg_gets(pointer, property.name) else { return nil }
        return unsafe String(cString: text)
    }

    /// Who sent this over ipc; nil on every other transport.
    public var peerCredentials: PeerCredentials? {
        metadata(.peerAddress).flatMap { PeerCredentials(peerAddress: $0) }
    }

    private var buffer: UnsafeBufferPointer<UInt8> {
        let start = unsafe zmq_msg_data(pointer)
        return unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: byteCount)
    }
}
