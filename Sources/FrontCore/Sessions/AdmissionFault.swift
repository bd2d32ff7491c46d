//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
}
