//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Foundation
import GantryModel

extension ClientErrorCode {
    /// The code that a program ends with when this is why: the same for the command line and for programs of one's own.
    ///
    /// 3 the work failed, 5 timed out or expired, 6 not found, 7 not connected or not let in, 8 busy or without room for now, 9 conflict, 10 invalid or
    /// too large, 64 not understood, 130 the caller itself left, 1 anything that should not be.
    public var exitCode: Int32 {
        switch self {
        case .notConnected, .refused, .closed, Self(.notAuthorized): 7
        case .conflict: 9
        case .timedOut, .jobExpired: 5
        case .cancelled: 130
        case .busy, Self(.rateLimited), Self(.storageFull): 8
        case .tooLarge, Self(.invalidData), Self(.unknownField): 10
        case .notFound, Self(.unknownFeed), Self(.unknownItem), Self(.unknownLoader): 6
        case .invalidInput: 64
        case .unexpectedAnswer: 1
        default: 3
        }
    }
}

extension ClientError: LocalizedError {
    /// The same text as ``description``, so that views show it.
    public var errorDescription: String? { description }
}
