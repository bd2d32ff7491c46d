//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel
import GantrySettings

/// The settings of a worker process.
public struct WorkerConfiguration: Hashable, Sendable {
    /// The front's endpoint for workers: `ipc://PATH`, or `tcp://` on the loopback.
    public var endpoint: String
    /// The worker's label, for people.
    public var name: String
    /// How many jobs run at once, 1 to 64; others are brought into the range.
    public var slots: Int
    /// How many jobs of bulk loaders are taken ahead, 0 to 4,096; others are brought into the range.
    public var prefetch: Int
    /// How long jobs that run may take to end by themselves once the worker drains: by a signal, a graceful shutdown of its services, or
    /// `gantry worker drain`. Then the rest is stopped: what may run again goes back to the queue and no attempt counts, of what must not run twice the
    /// outcome is unknown; `gantry worker drain` waits for that until its attempt's time-out, or a minute without one. 30 s unless said otherwise, none
    /// to a day; others are brought into the range.
    public var grace: Duration = WorkerSettings.usualGrace
    /// What a front that listens on TCP asks for: the content of `DATA/run/token`; empty for one on sockets.
    public var token: [UInt8] = []
    /// Where the worker records when jobs with limits begin and end, for `gantry limit audit`: `audit` in the front's data folder, which is also what it
    /// is unless said otherwise where the endpoint is a socket of that folder. Nil: it gives such jobs back, and other workers run them.
    package var recordFolder: String?

    /// A worker's configuration; 4 slots and 1,024 bulk jobs ahead unless said otherwise.
    public init(endpoint: String, name: String, slots: Int = 4, prefetch: Int = 1_024) {
        self.endpoint = endpoint
        self.name = name
        self.slots = slots
        self.prefetch = prefetch
        recordFolder = Endpoints.dataFolder(ofWorkers: endpoint)?.audit
    }

    /// The configuration of a worker for the front whose data folder this is; `~/` is the home folder. It has the front's endpoint for
    /// workers, and the token where that front listens on TCP: such a front has to run already.
    ///
    /// ```swift
    /// let configuration = try WorkerConfiguration(ofFront: folder, name: "greeter", slots: 2)
    /// ```
    /// - Throws: `badFolder` for a path that is empty, or too long for sockets where there is no `XDG_RUNTIME_DIR` either.
    public init(ofFront folder: String, name: String, slots: Int = 4, prefetch: Int = 1_024) throws(WorkerError) {
        guard !folder.isEmpty else {
            throw WorkerError(code: .badFolder, context: "the path of the front's data folder is empty", nextStep: "give that folder")
        }
        let place: FrontPlace
        do throws(ConfigurationError) { place = try FrontPlace(folder: folder) } catch {
            throw WorkerError(
                code: .badFolder, context: "the front of \(folder) cannot be found", nextStep: error.nextStep, cause: ErrorCause(error))
        }
        self.init(endpoint: place.endpoints.workers, name: name, slots: slots, prefetch: prefetch)
        token = place.readToken()
        recordFolder = place.data.audit
    }
}

extension WorkerConfiguration {
    /// The grace within its range.
    var usedGrace: Duration { min(max(grace, .zero), WorkerSettings.longestGrace) }
}

/// Why a worker does not run.
public struct WorkerError: CodedError {
    /// The kind of error.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// A short word.
        public let description: String

        /// By that path no front's data folder can be found.
        public static let badFolder = Self(description: "badFolder")
        /// Two loaders have one name, or a name breaks the rule of names.
        public static let badLoaderName = Self(description: "badLoaderName")
        /// The endpoint is neither ipc nor loopback.
        public static let forbiddenEndpoint = Self(description: "forbiddenEndpoint")
        /// The process is the first of its namespace, which the kernel's timer cannot end.
        public static let firstProcess = Self(description: "firstProcess")
        /// A loader threw when it was to prepare; the context names it, the cause is its error.
        public static let loaderNotPrepared = Self(description: "loaderNotPrepared")
        /// The front does not take this worker.
        public static let refused = Self(description: "refused")
        /// A job did not stop in its loader's time, and what is beside it has ended. One that never stops ends the process before this is said.
        public static let workNotStopped = Self(description: "workNotStopped")
        /// A socket or the system failed.
        public static let systemFailed = Self(description: "systemFailed")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong with what, and the next step where `nextStep` does not say it.
    public let context: String
    /// What to do now; empty where the context says it.
    public let nextStep: String
    /// The error beneath.
    public let cause: ErrorCause?

    package init(code: Code, context: String, nextStep: String = "", cause: ErrorCause? = nil) {
        self.code = code
        self.context = context
        self.nextStep = nextStep
        self.cause = cause
    }

    /// A socket, a thread or a call of the system that the worker needs cannot be had.
    static func systemFailed(_ error: any Error) -> Self {
        Self(code: .systemFailed, context: "the worker cannot run", cause: ErrorCause(error))
    }

    /// Runs `body`; an error of another kind becomes `systemFailed`.
    static func wrapping<Value: ~Copyable>(_ body: () throws -> Value) throws(Self) -> Value {
        do {
            return try body()
        } catch let error as Self {
            throw error
        } catch {
            throw .systemFailed(error)
        }
    }
}
