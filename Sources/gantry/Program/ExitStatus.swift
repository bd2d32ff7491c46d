//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Model

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
