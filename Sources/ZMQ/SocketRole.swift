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
    /// Whether libzmq takes the first frame of a message out when it only looks whether there is one.
    static var readsAhead: Bool { get }
}

extension SocketRole {
    /// No options beyond the sheet.
    public static var fixedOptions: [SocketOption<Bool>] { [] }
    /// A look takes nothing.
    public static var readsAhead: Bool { false }
}
