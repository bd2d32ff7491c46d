//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

extension FileCacheError {
    /// What a failed call means for somebody who adds.
    static func writing(_ error: SystemError) -> Self {
        switch error.code {
        case .permissionDenied, .notPermitted, .readOnly, .notFound, .notAFolder, .symbolicLink:
            Self(
                .notWritable, error.context,
                nextStep: "give this user write permission for the objects folder, or choose another with --data", because: error)
        case .notImplemented: Self(.notWritable, error.context, nextStep: withoutOpenat2, because: error)
        case .diskFull, .quotaFull:
            // The name of the file that was being made tells nobody anything: it is gone.
            Self(
                .full, "\(error.code.message) in the objects folder; make room on its file system and try again",
                systemError: error.code.rawValue)
        case .tooManyOpen, .tooManyOpenInSystem, .outOfMemory: exhausted(error)
        default: Self(.ioFailed, error.context, nextStep: checkDisk, because: error)
        }
    }

    private static var checkDisk: String { "check the disk of the objects folder" }

    private static func exhausted(_ error: SystemError) -> Self {
        Self(
            .exhausted, error.context, nextStep: "try again, and raise the limit of open files (ulimit -Hn) or of memory if it stays",
            because: error)
    }

    private static var withoutOpenat2: String {
        "the kernel or a filter of system calls (seccomp) refuses openat2: use Linux 5.6 or later and a container profile that allows it"
    }

    /// What it means for somebody who reads that the folder itself, or what says which folder it is, could not be looked at: a disk that fails there
    /// says nothing of any object.
    static func reaching(_ path: String, _ error: SystemError) -> Self {
        guard error.code == .deviceFailed else { return .reading(error) }
        return Self(.away, "the objects folder \(path) cannot be read: \(error.context)", nextStep: "check its disk", because: error)
    }

    /// What a failed call means for somebody who reads.
    static func reading(_ error: SystemError) -> Self {
        switch error.code {
        case .permissionDenied, .notPermitted:
            Self(.notReadable, error.context, nextStep: "give this user read permission for the objects folder", because: error)
        case .notImplemented: Self(.notReadable, error.context, nextStep: withoutOpenat2, because: error)
        case .notFound, .notAFolder: Self(.notReadable, error.context, nextStep: "check the path of the objects folder", because: error)
        case .tooManyOpen, .tooManyOpenInSystem, .outOfMemory: exhausted(error)
        default: Self(.ioFailed, error.context, nextStep: checkDisk, because: error)
        }
    }
}
