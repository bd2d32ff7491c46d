//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
package import GantryModel
import GantryPlatform
import GantryZMQ
import Journal

/// Why a front cannot start or has to end.
package struct FrontServiceError: CodedError {
    /// The kind of trouble; it decides the exit code. More may come.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The word that programs read.
        package let description: String

        private init(_ word: String) { description = word }

        /// Another front works on the same data, or has taken over.
        package static let conflict = Self("conflict")
        /// The folder, the journal or the cache cannot be used: another start would find the same.
        package static let cannotWrite = Self("cannotWrite")
        /// Something that the front needs is away, full or used up for a moment: another start may well find it.
        package static let unavailable = Self("unavailable")
        /// What is in the place of the token of TCP is none.
        package static let token = Self("token")
        /// An address is malformed, or no socket can be had there.
        package static let address = Self("address")
        /// Somebody else listens at an address.
        package static let addressInUse = Self("addressInUse")
        /// The journal cannot be opened or is damaged: another start would find the same.
        package static let storage = Self("storage")
        /// The journal failed while the front was running, or found no room to begin: nothing undurable was sent, and another start goes on
        /// from what is durable.
        package static let journalFailed = Self("journalFailed")
        /// The data holds jobs that the chosen durability would forget the ends of.
        package static let durability = Self("durability")
    }

    /// The kind of trouble.
    package var code: Code
    /// What is wrong.
    package var context: String
    /// What to do now; empty where the context says it, and where whoever starts fronts knows a command for the code.
    package var nextStep: String
    /// The error beneath.
    package var cause: ErrorCause?

    package init(_ code: Code, _ context: String, nextStep: String = "", cause: ErrorCause? = nil) {
        self.code = code
        self.context = context
        self.nextStep = nextStep
        self.cause = cause
    }

    /// A fault of what a front stands on: one that may have passed when it is started again, or one that stays.
    init(_ context: String, because error: SystemError) {
        self.init(
            error.code.mayPass ? .unavailable : .cannotWrite, context, cause: ErrorCause(error, code: "\(error.code.rawValue)"))
    }

    /// The same of the objects folder.
    init(_ context: String, because error: FileCacheError) {
        self.init(
            error.mayPass ? .unavailable : .cannotWrite, context,
            cause: ErrorCause(code: error.code.description, text: error.sentence, cause: error.cause))
    }

    /// What a journal says when it cannot be opened, started or closed: doctor, which looks at it too, says the same.
    init(_ code: Code, journal error: any Error) {
        if let error = error as? JournalError {
            let cause = ErrorCause(code: error.code.description, text: error.sentence, cause: error.cause)
            self.init(code, "journal \(error.path)", cause: cause)
        } else {
            self.init(code, "the journal cannot be used", cause: ErrorCause(error))
        }
    }

    /// The end of the page service: nothing is wrong with the data, and another start serves pages again.
    init(pagesEnded error: ZMQError) {
        self.init(
            .unavailable, "the page service has ended", nextStep: "start the front again",
            cause: ErrorCause(error, code: "\(error.code.rawValue)"))
    }

    /// What is said of an address at which no socket could be bound.
    init(cannotListen error: ZMQError) {
        let number = "\(error.code.rawValue)"
        if error.code == .addressInUse, let taken = error.endpoint {
            self.init(.addressInUse, "the front cannot listen at \(taken)", cause: ErrorCause(code: number, text: "somebody else does"))
        } else {
            let code: Code = error.code == .tooManyOpen ? .unavailable : .address
            self.init(code, "the front cannot listen", cause: ErrorCause(error, code: number))
        }
    }
}
