//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CZMQ

/// One frame in libzmq's memory. Decode it to owned values at once and re-use it for the next receive.
///
/// It owns a heap `zmq_msg_t`, because small payloads live inside that structure and pointers into a moved one dangle.
/// Bytes leave through `withBytes` and the copying methods only.
@safe package struct Message: ~Copyable {
    let pointer: UnsafeMutablePointer<zmq_msg_t>

    /// An empty message to receive into.
    package init() {
        unsafe pointer = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
        _ = unsafe zmq_msg_init(pointer)
    }

    deinit {
        _ = unsafe zmq_msg_close(pointer)
        unsafe pointer.deallocate()
    }

    /// The size in bytes.
    package var byteCount: Int { unsafe zmq_msg_size(pointer) }

    /// Lends the bytes to `body`.
    /// - Returns: what `body` returns.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe buffer
        return try unsafe body(bytes.span)
    }

    /// A copy of the bytes.
    /// - Complexity: O(size), one allocation and one block copy.
    package borrowing func copyBytes() -> [UInt8] {
        unsafe Array(buffer)
    }

    /// Replaces the content of `target`, keeping its memory for the next message.
    /// - Complexity: O(size), no allocation once `target` is large enough.
    package borrowing func copyBytes(into target: inout [UInt8]) {
        target.removeAll(keepingCapacity: true)
        unsafe target.append(contentsOf: buffer)
    }

    /// A property of the connection the message came by; nil if it has none of that name.
    ///
    /// Ask the body frame: a router's prefetch loses the properties of the routing frame. Costs a look-up by name, so ask
    /// once for each session and not for each message.
    package borrowing func metadata(_ property: MetadataProperty) -> String? {
        guard let text = unsafe zmq_msg_gets(pointer, property.name) else { return nil }
        return unsafe String(cString: text)
    }

    /// Who sent this over ipc; nil on every other transport.
    package var peerCredentials: PeerCredentials? {
        metadata(.peerAddress).flatMap { PeerCredentials(peerAddress: $0) }
    }

    private var buffer: UnsafeBufferPointer<UInt8> {
        let start = unsafe zmq_msg_data(pointer)
        return unsafe UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: byteCount)
    }
}

/// A property of the connection that a message came by.
package struct MetadataProperty: Hashable, Sendable {
    /// libzmq's name.
    package let name: String

    /// Names a property.
    package init(_ name: String) {
        self.name = name
    }

    /// The peer's address; on ipc `localhost:uid:gid:pid` as the kernel vouches for it.
    package static let peerAddress = MetadataProperty("Peer-Address")
    /// The user id that the ZAP handler answered with.
    package static let userID = MetadataProperty("User-Id")
}

/// Who is at the other end of an ipc connection, as the kernel vouches for it (`SO_PEERCRED`).
package struct PeerCredentials: Hashable, Sendable {
    /// The peer's user.
    package let userID: UInt32
    /// The peer's group.
    package let groupID: UInt32
    /// The peer's process at the time it connected.
    package let processID: Int32

    /// Reads `localhost:uid:gid:pid`.
    /// - Returns: nil for any other text, so for TCP and inproc.
    package init?(peerAddress: String) {
        // It comes with each frame, so nothing is copied.
        var rest = peerAddress.utf8[...]
        guard rest.starts(with: "localhost".utf8) else { return nil }
        rest = rest.dropFirst("localhost".utf8.count)
        guard let userID = Self.number(&rest), let groupID = Self.number(&rest), let processID = Self.number(&rest), rest.isEmpty,
            let processID = Int32(exactly: processID)
        else { return nil }
        self.userID = userID
        self.groupID = groupID
        self.processID = processID
    }

    /// Takes a colon and the digits after it.
    private static func number(_ rest: inout Substring.UTF8View) -> UInt32? {
        guard rest.popFirst() == UInt8(ascii: ":"), let first = rest.first, (48...57).contains(first) else { return nil }
        var number: UInt32 = 0
        while let digit = rest.first, digit != UInt8(ascii: ":") {
            guard (48...57).contains(digit) else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (total, isBeyond) = product.addingReportingOverflow(UInt32(digit - 48))
            if isTooLarge || isBeyond { return nil }
            number = total
            rest = rest.dropFirst()
        }
        return number
    }
}
