//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import FrontService
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import GantryWorker
import Journal
import Measuring
import SampleOrigin

/// Why a command ends with a code other than 0: what people and programs are told.
struct CommandFailure: Error, Hashable {
    /// The exit code.
    var status: ExitStatus
    /// A word for programs: one of the failure codes, or one of this program's own such as `configuration`.
    var code: Code
    /// What happened, naming the thing.
    var message: String
    /// How the command is called, for people, where its options or arguments were wrong; empty elsewhere.
    var usage = ""
    /// What to do now, often a command to type; empty: nothing helps.
    var nextStep: String { ([advice].filter { !$0.isEmpty } + (doctor ?? [])).joined(separator: " ") }
    var advice: String
    /// The words of `gantry doctor` with its options, where that is the next step or the end of it.
    var doctor: [String]?
    /// The command that says what is wrong.
    static let doctorCommand = "doctor"
    /// Whether the same command may succeed later.
    var isRetryable = false
    /// When that may be at the earliest, where the front said so.
    var retryAfter: Duration?
    /// Names and values for programs, for example the feed and the job.
    var context: [String: String] = [:]

    /// - Parameter thenDoctor: whether the next step is, or ends with, `gantry doctor`.
    init(
        _ status: ExitStatus, code: Code, message: String, nextStep: String = "", thenDoctor: Bool = false, isRetryable: Bool = false,
        context: [String: String] = [:]
    ) {
        self.status = status
        self.code = code
        self.message = message
        advice = nextStep
        doctor = thenDoctor ? ["gantry", Self.doctorCommand] : nil
        self.isRetryable = isRetryable
        self.context = context
    }

    /// Another next step than its cause has.
    mutating func advise(_ nextStep: String) { (advice, doctor) = (nextStep, nil) }

    /// A failure with one of the codes that wire, page and metrics share.
    init(
        _ code: FailureCode, message: String, nextStep: String = "", isRetryable: Bool = false, context: [String: String] = [:]
    ) {
        self.init(
            ExitStatus(code), code: Code(code), message: message, nextStep: nextStep, isRetryable: isRetryable,
            context: context)
    }
}

extension CommandFailure {
    /// The word that programs read of a failure: one that wire, page and metrics share, one of a module's errors, or one of this program's own.
    struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word itself, lowerCamelCase.
        let rawValue: String

        init(rawValue: String) { self.rawValue = rawValue }

        /// The word of an error of a module.
        init(_ code: some CustomStringConvertible) { rawValue = code.description }

        /// What was typed is none of the command's words.
        static let usage = Self(rawValue: "usage")
        /// The configuration has a mistake.
        static let configuration = Self(rawValue: "configuration")
        /// What was named does not exist.
        static let notFound = Self(rawValue: "notFound")
        /// Something is in the way, or has another version.
        static let conflict = Self(rawValue: "conflict")
        /// A file or the output cannot be written.
        static let cannotWrite = Self(rawValue: "cannotWrite")
        /// No socket can be had at an address.
        static let cannotListen = Self(rawValue: "cannotListen")
        /// Somebody else listens at an address.
        static let addressInUse = Self(rawValue: "addressInUse")
        /// The job was cancelled.
        static let cancelled = Self(rawValue: "cancelled")
        /// The job expired before it started.
        static let expired = Self(rawValue: "expired")
        /// The command stopped waiting; what was asked for goes on.
        static let detached = Self(rawValue: "detached")
        /// A check of `gantry doctor` found something bad.
        static let checkFailed = Self(rawValue: "checkFailed")
        /// The time that was given is over.
        static let timedOut = Self(rawValue: "timedOut")
        /// What is shown keeps differing from what the front holds.
        static let checksumDiffers = Self(rawValue: "checksumDiffers")
        /// More of a limit ran than it allowed.
        static let limitPassed = Self(rawValue: "limitPassed")
        /// Whether a limit was passed cannot be known of its records.
        static let recordUnclear = Self(rawValue: "recordUnclear")
        /// A record is not what its writer wrote.
        static let recordBroken = Self(rawValue: "recordBroken")
        /// Something is away, full or used up for a moment.
        static let unavailable = Self(rawValue: "unavailable")
        /// The work failed.
        static let failed = Self(rawValue: "failed")
        /// Something is over its bound.
        static let tooLarge = Self(rawValue: "tooLarge")
        /// What was given is not what it should be.
        static let invalidData = Self(rawValue: "invalidData")
        /// A call of the system failed.
        static let system = Self(rawValue: "system")
        /// An error that should not be.
        static let `internal` = Self(rawValue: "internal")

        var description: String { rawValue }
    }
}

/// Every exit code of every command, in one table; 2 is left to shells.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    /// A mistake of gantry itself.
    case internalError = 1
    /// The work was done and failed.
    case failed = 3
    case cancelled = 4
    case timedOut = 5
    case notFound = 6
    /// No front answers.
    case notConnected = 7
    /// A bound is reached; the same command may succeed later.
    case busy = 8
    /// Something is in use, a second front, or two digests differ.
    case conflict = 9
    case invalidData = 10
    /// The command line is not understood.
    case usage = 64
    case cannotWrite = 73
    case configuration = 78
    /// The user left (Ctrl-C); the work goes on.
    case detached = 130

    /// For ArgumentParser.
    var exitCode: ExitCode { ExitCode(rawValue) }

    /// What a failure of a request or a job ends a command with: the code of the library, but that somebody cancelled the job is no leaving.
    init(_ code: FailureCode) {
        self = code == .cancelled ? .cancelled : Self(ClientErrorCode(code))
    }

    /// What an error of the library ends a command with.
    init(_ code: ClientErrorCode) { self = Self(rawValue: code.exitCode) ?? .failed }
}

extension CommandFailure {
    /// Any error as a failure of the command; errors without a meaning of their own are internal ones.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ConfigurationError:
            self.init(
                .configuration, code: .configuration, message: error.description,
                nextStep: error.nextStep.isEmpty ? "correct it, then check with:" : error.nextStep, thenDoctor: error.nextStep.isEmpty)
        case let error as FrontServiceError:
            let nextStep = error.nextStep.isEmpty ? Self.nextStep(after: error.code) : error.nextStep
            self.init(
                Self.status(of: error.code), code: Code(error.code), message: error.summary, nextStep: nextStep ?? "",
                thenDoctor: nextStep == nil)
        case let error as JournalError:
            self.init(Self.status(of: error.code), code: Code(error.code), message: error.description, thenDoctor: true)
        case let error as MeasuringError:
            self.init(
                error.code == .notStarted ? .internalError : .failed, code: Code(error.code), message: error.summary,
                nextStep: error.nextStep,
                thenDoctor: error.code != .failed)
        case let error as OriginError:
            self.init(
                .conflict, code: .cannotListen, message: error.description,
                nextStep: "stop what listens there, or choose another with --port")
        case let error as WorkerError where error.code == .refused:
            self.init(
                .notConnected, code: Code(error.code), message: error.summary,
                nextStep: "over TCP name the data folder of that front with --data; otherwise", thenDoctor: true)
        case let error as SystemError:
            self.init(Self.status(of: error.code), code: .system, message: "\(error)")
        default:
            self.init(
                .internalError, code: .internal, message: "\(error)", nextStep: "report this with the output of:", thenDoctor: true)
        }
    }

    private static func status(of code: FrontServiceError.Code) -> ExitStatus {
        switch code {
        case .conflict, .address, .addressInUse, .durability: .conflict
        case .cannotWrite, .storage, .token: .cannotWrite
        // Of `journalFailed` and `unavailable`, not a code that ends `up`: the next start may well find a disk that works.
        default: .failed
        }
    }

    /// nil: doctor says what is wrong.
    private static func nextStep(after code: FrontServiceError.Code) -> String? {
        switch code {
        case .conflict: "use that front, or stop it, or choose another folder with --data"
        case .addressInUse: "stop what listens there, such as another front with --tcp, or leave --tcp out"
        case .durability: "start it with --durability full until they have ended or are cancelled, or choose another folder with --data"
        case .token: "remove that file: the next start makes a new one"
        default: nil
        }
    }

    private static func status(of code: JournalErrorCode) -> ExitStatus {
        switch code {
        case .inUse: .conflict
        case .full, .unusable: .cannotWrite
        case .corrupt, .newerFormat, .olderFormat: .invalidData
        default: .internalError
        }
    }

    private static func status(of code: SystemErrorCode) -> ExitStatus {
        switch code {
        case .exists: .conflict
        // Of a thread that the system has no room for: it may have soon.
        case .wouldBlock: .busy
        case .notFound: .notFound
        case .permissionDenied, .notPermitted, .diskFull, .quotaFull, .readOnly, .deviceFailed: .cannotWrite
        default: .internalError
        }
    }
}
