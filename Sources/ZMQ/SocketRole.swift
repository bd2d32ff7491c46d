//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a socket is: a type that is never instantiated and decides which methods `Socket` has.
public protocol SocketRole {
    /// libzmq's number of the socket type.
    static var kind: Int32 { get }
    /// The word used in errors.
    static var name: String { get }
    /// Options that every socket of this role has whatever its sheet says.
    static var fixedOptions: [SocketOption<Bool>] { get }
    /// Whether libzmq takes the first frame of a message out when it only looks whether there is one (`xhas_in` of 4.3.4). A connection that is
    /// lost then ends the process if the socket gives up connections that are not complete, so such a socket is never immediate.
    static var readsAhead: Bool { get }
}

extension SocketRole {
    /// No options beyond the sheet.
    public static var fixedOptions: [SocketOption<Bool>] { [] }
    /// A look takes nothing.
    public static var readsAhead: Bool { false }
}
