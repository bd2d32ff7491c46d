//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// What is wrong with the numbers of a request or a heartbeat.
enum AdmissionFault: Equatable {
    /// Numbers begin at 1.
    case noNumber
    /// The mark is above the request's own number, so the request would be one whose reply the client has.
    case markAboveNumber
    /// The mark is above what the front has ever answered.
    case markAboveSeen(highest: UInt64)
    /// The client said before that it has that reply.
    case belowMark(UInt64)
    /// Too many requests are unanswered.
    case outsideWindow
    /// The number was another request's.
    case otherBody

    /// What the client is told.
    var code: FailureCode {
        switch self {
        case .noNumber, .markAboveNumber, .markAboveSeen, .belowMark: .invalidData
        case .outsideWindow: .busy
        case .otherBody: .conflict
        }
    }

    /// The same for people.
    func text(_ number: RequestNumber, _ lowest: RequestNumber, window: UInt64) -> String {
        switch self {
        case .noNumber: "a request's number is at least 1"
        case .markAboveNumber: "lowest_unanswered is \(lowest), which is above the request's own number \(number)"
        case .markAboveSeen(let highest): "lowest_unanswered is \(lowest), but no request above \(highest) has come"
        case .belowMark(let mark): "request \(number) is below \(mark), up to which the client said that it has all replies"
        case .outsideWindow: "more than \(window) requests are unanswered (limit): wait for replies first"
        case .otherBody: "number \(number) of this session was another request: give each request a number of its own"
        }
    }
}
