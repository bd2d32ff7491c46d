//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

/// A system call that could not be done.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as the system's error number.
    package let code: SystemErrorCode
    /// What was being done, to what.
    package let context: String
    /// What to do now, often a command to type; empty where nothing is known.
    package let nextStep: String

    /// Nothing lies beneath: the code is the kernel's own.
    package var cause: Never? { nil }

    /// Makes an error from a code and a text that names the thing.
    package init(code: SystemErrorCode, context: String, nextStep: String = "") {
        self.code = code
        self.context = context
        self.nextStep = nextStep
    }

    /// The context followed by the system's words for the code, or by the next step where it is known: no call has failed then, and a
    /// command at the end can be copied.
    package var description: String {
        nextStep.isEmpty ? "\(context): \(code.message) (\(code.rawValue))" : "\(context); \(nextStep)"
    }
}

/// The `errno` of a failed system call; an open set.
package struct SystemErrorCode: RawRepresentable, Hashable, Sendable {
    /// The `errno` value.
    package let rawValue: Int32

    /// Wraps an `errno` value.
    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Somebody else holds the lock (`EWOULDBLOCK`).
    package static let inUse = SystemErrorCode(rawValue: EWOULDBLOCK)
    /// A name or argument that cannot be (`EINVAL`).
    package static let invalidArgument = SystemErrorCode(rawValue: EINVAL)
    /// Nothing of that name (`ENOENT`).
    package static let notFound = SystemErrorCode(rawValue: ENOENT)
    /// Something of that name is there already (`EEXIST`).
    package static let exists = SystemErrorCode(rawValue: EEXIST)
    /// The user may not (`EACCES`).
    package static let permissionDenied = SystemErrorCode(rawValue: EACCES)
    /// The user may not, whatever the modes say (`EPERM`).
    package static let notPermitted = SystemErrorCode(rawValue: EPERM)
    /// The kernel does not have the call, or a filter forbids it (`ENOSYS`).
    package static let notImplemented = SystemErrorCode(rawValue: ENOSYS)
    /// The path leaves its folder (`EXDEV`).
    package static let leavesFolder = SystemErrorCode(rawValue: EXDEV)
    /// The path goes through a symbolic link (`ELOOP`).
    package static let symbolicLink = SystemErrorCode(rawValue: ELOOP)
    /// A part of the path is no folder (`ENOTDIR`).
    package static let notAFolder = SystemErrorCode(rawValue: ENOTDIR)
    /// The disk is full (`ENOSPC`).
    package static let diskFull = SystemErrorCode(rawValue: ENOSPC)
    /// The user's share of the disk is full (`EDQUOT`).
    package static let quotaFull = SystemErrorCode(rawValue: EDQUOT)
    /// The file system is read only (`EROFS`).
    package static let readOnly = SystemErrorCode(rawValue: EROFS)
    /// The device failed (`EIO`).
    package static let deviceFailed = SystemErrorCode(rawValue: EIO)
    /// The process has no descriptor left (`EMFILE`).
    package static let tooManyOpen = SystemErrorCode(rawValue: EMFILE)
    /// The system has no descriptor left (`ENFILE`).
    package static let tooManyOpenInSystem = SystemErrorCode(rawValue: ENFILE)
    /// The kernel has no memory left for it (`ENOMEM`).
    package static let outOfMemory = SystemErrorCode(rawValue: ENOMEM)
    /// Nobody reads the other end of the pipe (`EPIPE`).
    package static let brokenPipe = SystemErrorCode(rawValue: EPIPE)
    /// No process of that id (`ESRCH`).
    package static let noSuchProcess = SystemErrorCode(rawValue: ESRCH)
    /// No child to wait for (`ECHILD`).
    package static let noChild = SystemErrorCode(rawValue: ECHILD)
    /// A descriptor that does not block has nothing now (`EAGAIN`, the same number as `inUse`).
    package static let wouldBlock = SystemErrorCode(rawValue: EAGAIN)

    /// The file is larger than its file system, or this process, may have one (`EFBIG`).
    package static let fileTooLarge = SystemErrorCode(rawValue: EFBIG)
    /// The server of a file system knows the file no longer (`ESTALE`).
    package static let stale = SystemErrorCode(rawValue: ESTALE)
    /// The program behind a file system has gone (`ENOTCONN`).
    package static let disconnected = SystemErrorCode(rawValue: ENOTCONN)
    /// A server has not answered in time (`ETIMEDOUT`).
    package static let timedOut = SystemErrorCode(rawValue: ETIMEDOUT)

    /// Whether the same call may do a moment later although nobody mends anything here: a disk that failed once, is full or is away for a
    /// moment, descriptors, memory or threads that others give back.
    package var mayPass: Bool {
        switch self {
        case .diskFull, .quotaFull, .deviceFailed, .tooManyOpen, .tooManyOpenInSystem, .outOfMemory, .wouldBlock: true
        case .notFound, .stale, .disconnected, .timedOut: true
        default: false
        }
    }

    /// The system's words for the number.
    package var message: String {
        unsafe String(cString: strerror(rawValue))
    }
}

/// Turns a negated `errno` of the shim into an error.
@discardableResult
func checked<Number: SignedInteger>(_ result: Number, _ context: @autoclosure () -> String) throws(SystemError) -> Number {
    guard result < 0 else { return result }
    throw SystemError(code: SystemErrorCode(rawValue: Int32(-result)), context: context())
}
