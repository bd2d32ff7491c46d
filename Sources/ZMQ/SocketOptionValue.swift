//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A Swift type that a socket option can hold. The size of an option comes from its type.
public protocol SocketOptionValue: Sendable, Equatable {
    /// The bytes libzmq expects, in the machine's byte order. `millisecondsPerUnit` matters to durations only.
    func optionBytes(millisecondsPerUnit: Int64) -> [UInt8]
    /// The value for bytes that libzmq returned; nil if they have the wrong size.
    static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> Self?
    /// How many bytes to offer when reading.
    static var optionCapacity: Int { get }
}
