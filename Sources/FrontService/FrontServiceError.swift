//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ZMQ

/// Why a front cannot start or has to end.
public struct FrontServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of trouble; it decides the exit code.
    public enum Code: Hashable, Sendable {
        /// Another front works on the same data, or has taken over.
        case conflict
        /// The folder, the journal or the cache cannot be used: another start would find the same.
        case cannotWrite
        /// Something that the front needs is away, full or used up for a moment: another start may well find it.
        case unavailable
        /// What is in the place of the token of TCP is none.
        case token
        /// An address is malformed, or no socket can be had there.
        case address
        /// Somebody else listens at an address.
        case addressInUse
        /// The journal cannot be opened or is damaged: another start would find the same.
        case storage
        /// The journal failed while the front was running, or found no room to begin: nothing undurable was sent, and another start goes on
        /// from what is durable.
        case journalFailed
        /// The data holds jobs that the chosen durability would forget the ends of.
        case durability
    }

    /// The kind of trouble.
    public var code: Code
    /// What is wrong, and the next step.
    public var text: String

    public init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    /// A fault of what a front stands on: one that may have passed when it is started again, or one that stays.
    init(mayPass: Bool, _ text: String) { self.init(mayPass ? .unavailable : .cannotWrite, text) }

    /// What is said of an address at which no socket could be bound.
    init(cannotListen error: ZMQError) {
        if error.code == .tooManyOpen {
            self.init(.unavailable, error.description)
        } else if error.code == .addressInUse, let taken = error.endpoint {
            self.init(.addressInUse, "the front cannot listen at \(taken): somebody else does")
        } else {
            self.init(.address, error.description)
        }
    }

    /// The text.
    public var description: String { text }
}
