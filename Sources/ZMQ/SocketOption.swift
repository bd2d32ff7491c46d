//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One setting of a socket with the type of its value.
///
/// Options that matter before a connection exists (all of `OptionSheet`) must be set before `bind` or `connect`.
public struct SocketOption<Value: SocketOptionValue>: Hashable, Sendable {
    /// libzmq's number.
    public let number: Int32
    /// libzmq's name, for errors.
    public let name: String
    let millisecondsPerUnit: Int64

    init(_ number: Int32, _ name: String, millisecondsPerUnit: Int64 = 1) {
        self.number = number
        self.name = name
        self.millisecondsPerUnit = millisecondsPerUnit
    }
}
