//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import FrontCore
import GantryFileCache
package import GantryModel
import GantryPlatform
import GantryZMQ

/// What a front process is started with.
package struct FrontServiceSettings: Sendable {
    /// The data folder: `journal/`, `objects/`, `run/`, `front.lock`.
    package var folder: String
    /// Where it is reached.
    package var endpoints: FrontEndpoints
    /// The feeds of the configuration.
    package var feeds: [FeedDefinition] = []
    /// What it says of limits and clients.
    package var flow = FlowSettings()
    /// What it says of jobs that have ended.
    package var retention = JobRetention()
    /// What the front was started with, in the words of who starts it, for who asks; noted in `run/started-with.json`. nil: nothing is noted.
    package var startedWith: String?
    /// Whether jobs are journaled.
    package var durability = FrontSettings.Durability.full
    /// The program's version, for people.
    package var version = "0.1.0"
    /// The token that every peer must send; nil: the transport proves the sender (ipc), and the front does not listen on TCP.
    package var token: SharedToken?
    /// Bounds of the front.
    package var bounds = Bounds()
    /// How the loop reads, gathers and sends.
    package var loop = LoopSettings()
    /// From one collection to the next of objects that nobody names.
    package var collectPause = Duration.seconds(600)
    /// How long it waits at its start for whoever reads or copies the journal: longer than a copy of a usual one takes. A reader that holds it for
    /// longer is no reason to end for good either: whoever watches over the front starts it again.
    package var journalWait = Duration.seconds(10)
    /// Takes a line for people about something that the front noticed; called on the thread that decides, which it must not hold up.
    package var onNotice: @Sendable (String) -> Void = { _ in }
    /// Takes what the loop refused or dropped, for a log; called on the same thread. nil: no log.
    package var onLoopNote: (@Sendable (LoopNote) -> Void)?

    /// The defaults for a folder.
    package init(folder: String, endpoints: FrontEndpoints) {
        self.folder = folder
        self.endpoints = endpoints
    }
}

/// A front that serves: who it is and where it is reached.
package struct FrontReady: Hashable, Sendable {
    /// The installation.
    package var front: FrontID
    /// Its epoch.
    package var epoch: Epoch
    /// The addresses that are really bound.
    package var endpoints: FrontEndpoints

    package init(front: FrontID, epoch: Epoch, endpoints: FrontEndpoints) {
        self.front = front
        self.epoch = epoch
        self.endpoints = endpoints
    }
}

/// Where a front is reached; each an `ipc://` path or a loopback `tcp://` address.
package struct FrontEndpoints: Hashable, Sendable {
    /// Clients' requests.
    package var requests: String
    /// Published changes.
    package var changes: String
    /// Workers.
    package var workers: String
    /// Pages of lists.
    package var pages: String

    /// Joins the four addresses.
    package init(requests: String, changes: String, workers: String, pages: String) {
        self.requests = requests
        self.changes = changes
        self.workers = workers
        self.pages = pages
    }
}

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
        if let error = error as? any UnusableJournal {
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
