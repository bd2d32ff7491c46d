//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import Glibc

/// A system call that could not be done.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as the system's error number.
    public let code: SystemErrorCode
    /// What was being done, to what.
    public let context: String
    /// What to do now, often a command to type; empty where nothing is known.
    public let nextStep: String

    /// Nothing lies beneath: the code is the kernel's own.
    public var cause: Never? { nil }

    /// Makes an error from a code and a text that names the thing.
    public init(code: SystemErrorCode, context: String, nextStep: String = "") {
        self.code = code
        self.context = context
        self.nextStep = nextStep
    }

    /// The context followed by the system's words for the code, or by the next step where it is known: no call has failed then, and a
    /// command at the end can be copied.
    public var description: String {
        nextStep.isEmpty ? "\(context): \(code.message) (\(code.rawValue))" : "\(context); \(nextStep)"
    }
}

/// The `errno` of a failed system call; an open set.
public struct SystemErrorCode: RawRepresentable, Hashable, Sendable {
    /// The `errno` value.
    public let rawValue: Int32

    /// Wraps an `errno` value.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Somebody else holds the lock (`EWOULDBLOCK`).
    public static let inUse = SystemErrorCode(rawValue: EWOULDBLOCK)
    /// A name or argument that cannot be (`EINVAL`).
    public static let invalidArgument = SystemErrorCode(rawValue: EINVAL)
    /// Nothing of that name (`ENOENT`).
    public static let notFound = SystemErrorCode(rawValue: ENOENT)
    /// Something of that name is there already (`EEXIST`).
    public static let exists = SystemErrorCode(rawValue: EEXIST)
    /// The user may not (`EACCES`).
    public static let permissionDenied = SystemErrorCode(rawValue: EACCES)
    /// The user may not, whatever the modes say (`EPERM`).
    public static let notPermitted = SystemErrorCode(rawValue: EPERM)
    /// The kernel does not have the call, or a filter forbids it (`ENOSYS`).
    public static let notImplemented = SystemErrorCode(rawValue: ENOSYS)
    /// The path leaves its folder (`EXDEV`).
    public static let leavesFolder = SystemErrorCode(rawValue: EXDEV)
    /// The path goes through a symbolic link (`ELOOP`).
    public static let symbolicLink = SystemErrorCode(rawValue: ELOOP)
    /// A part of the path is no folder (`ENOTDIR`).
    public static let notAFolder = SystemErrorCode(rawValue: ENOTDIR)
    /// The disk is full (`ENOSPC`).
    public static let diskFull = SystemErrorCode(rawValue: ENOSPC)
    /// The user's share of the disk is full (`EDQUOT`).
    public static let quotaFull = SystemErrorCode(rawValue: EDQUOT)
    /// The file system is read only (`EROFS`).
    public static let readOnly = SystemErrorCode(rawValue: EROFS)
    /// The device failed (`EIO`).
    public static let deviceFailed = SystemErrorCode(rawValue: EIO)
    /// The process has no descriptor left (`EMFILE`).
    public static let tooManyOpen = SystemErrorCode(rawValue: EMFILE)
    /// The system has no descriptor left (`ENFILE`).
    public static let tooManyOpenInSystem = SystemErrorCode(rawValue: ENFILE)
    /// The kernel has no memory left for it (`ENOMEM`).
    public static let outOfMemory = SystemErrorCode(rawValue: ENOMEM)
    /// Nobody reads the other end of the pipe (`EPIPE`).
    public static let brokenPipe = SystemErrorCode(rawValue: EPIPE)
    /// No process of that id (`ESRCH`).
    public static let noSuchProcess = SystemErrorCode(rawValue: ESRCH)
    /// No child to wait for (`ECHILD`).
    public static let noChild = SystemErrorCode(rawValue: ECHILD)
    /// A descriptor that does not block has nothing now (`EAGAIN`, the same number as `inUse`).
    public static let wouldBlock = SystemErrorCode(rawValue: EAGAIN)

    /// The file is larger than its file system, or this process, may have one (`EFBIG`).
    public static let fileTooLarge = SystemErrorCode(rawValue: EFBIG)
    /// The server of a file system knows the file no longer (`ESTALE`).
    public static let stale = SystemErrorCode(rawValue: ESTALE)
    /// The program behind a file system has gone (`ENOTCONN`).
    public static let disconnected = SystemErrorCode(rawValue: ENOTCONN)
    /// A server has not answered in time (`ETIMEDOUT`).
    public static let timedOut = SystemErrorCode(rawValue: ETIMEDOUT)

    /// Whether the same call may do a moment later although nobody mends anything here: a disk that failed once, is full or is away for a
    /// moment, descriptors, memory or threads that others give back.
    public var mayPass: Bool {
        switch self {
        case .diskFull, .quotaFull, .deviceFailed, .tooManyOpen, .tooManyOpenInSystem, .outOfMemory, .wouldBlock: true
        case .notFound, .stale, .disconnected, .timedOut: true
        default: false
        }
    }

    /// The system's words for the number.
    public var message: String {
        unsafe String(cString: strerror(rawValue))
    }
}

/// Turns a negated `errno` of the shim into an error.
@discardableResult
func checked<Number: SignedInteger>(_ result: Number, _ context: @autoclosure () -> String) throws(SystemError) -> Number {
    guard result < 0 else { return result }
    throw SystemError(code: SystemErrorCode(rawValue: Int32(-result)), context: context())
}
