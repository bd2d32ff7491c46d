//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontService
import GantryModel
import GantryPlatform
import GantrySettings
import GantryWorker
import Journal
import Measuring
import SampleOrigin

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
