//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a world does to those who live in it.
package enum FaultKind: String, Sendable, CaseIterable {
    /// A process ended between two of its calls.
    case crashBetweenCalls
    /// A process stood still between two of its calls.
    case pauseBetweenCalls
    /// The front was killed.
    case frontKilled
    /// A worker was killed.
    case workerKilled
    /// A client was killed.
    case clientKilled
    /// A process was stopped and went on later.
    case processStopped
    /// The kernel ended a worker whose lease was over.
    case killTimer
    /// A job ended its worker.
    case poison
    /// A worker was asked to drain.
    case drain
    /// A connection broke; what was on its way was lost.
    case connectionBroken
    /// A broken connection's last frames came after those of the next one.
    case lateFrames
    /// One direction of a connection stood still.
    case oneWayBlocked
    /// A frame took far longer than usual.
    case slowFrame
    /// A frame came twice.
    case frameRepeated
    /// A publication was lost to one observer.
    case publicationDropped
    /// A socket took no more.
    case socketFull
    /// The disk was slow.
    case slowCommit
    /// The disk was full.
    case diskFull
    /// The disk failed.
    case diskFailed
    /// A crash found a row half written.
    case rowTorn
    /// A crash found a row written but not announced.
    case rowUnannounced
    /// Nobody could tell whether a commit had written its row: it had.
    case rowInDoubtWritten
    /// Nobody could tell whether a commit had written its row: it had not.
    case rowInDoubtLost
    /// The journal did not know for a while whether the front is the writer.
    case authorityLapsed
    /// Another front took over meanwhile.
    case frontDeposed
    /// The wall clock jumped.
    case wallJump
    /// A loader went on though it was cancelled.
    case cancelIgnored
    /// An object turned out damaged.
    case objectDamaged
    /// An object that nothing names was collected.
    case objectCollected
    /// A byte of a publication flipped in a client's memory.
    case byteFlipped
    /// A hostile client or worker sent something malformed or extreme.
    case hostileFrame
    /// A client closed its session.
    case sessionClosed
}
