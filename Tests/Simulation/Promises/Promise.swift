//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What is checked in every world, each as a sentence that holds. `InjectedBug` breaks them one by one, to see each checker work; those that only
/// another client's machine could break are named by the test of injected bugs.
package enum Promise: String, Sendable, CaseIterable {
    // What clients see.
    case acceptedIsKept = "no accepted job is lost"
    case answeredOnce = "each call is answered once"
    case batchIsWhole = "all of a batch is accepted"
    case cancelledPublishesNothing = "a cancelled job never publishes its result"
    case cancelledStays = "a cancelled job ends as cancelled"
    case cancelIsQuick = "a cancel reaches the work in time"
    case carriedOutOnce = "a request is carried out once"
    case conflictsAreReported = "what is asked of one version of a view is never done to another"
    case endsOnce = "a job ends once, the same for everybody"
    case everythingEnds = "everything ends after the faults stop"
    case lateIsIgnored = "no late result is applied"
    case orderStays = "the last accepted sort and filter of a view are in effect at the end"
    case outcomesCome = "an outcome comes"
    case saveStays = "an accepted save that succeeded is in the list at the end"
    case selectionStays = "the last accepted selection of a view is in effect at the end"
    case topicsCome = "a topic that exists can be observed"

    // What runs.
    case endedIsStopped = "a job whose end is told runs no more"
    case nothingRunsAfterItsEnd = "nothing runs after its end was told"
    case optionsStay = "a job keeps the options that it was submitted with"
    case oneLoadAKey = "one key, one load"
    case runsOnceAtATime = "a job never runs twice at the same time"
    case slotsHold = "the slots of a worker are never exceeded"
    case unrepeatableRunsOnce = "what must not be repeated runs once"

    case auditsAgree = "an audit of the starts that workers record finds that limits held"

    // What the front decides.
    case bulksAreWhole = "an action with many jobs is the one that was asked for, and is done with each of them that has not changed since"
    case repeatedOnce = "an action that repeats ended jobs repeats each of them once"
    case boundsHold = "what is kept for one owner stays within its bound"
    case countsAreTrue = "the counts are those of the jobs"
    case debouncesHold = "a debounced job starts once its key was quiet or after its longest wait, and not before that"
    case drainedGetsNothing = "a worker that was asked to drain is granted no job, also if it comes back as one of the last N lost ones"
    case frontGoesOn = "no message ends the front"
    case grantsInOrder = "grants of one client and loader go out in order of rank"
    case grantsFitSlots = "the front never grants more than a worker has room for"
    case idleSleeps = "an idle front sleeps"
    case jobsEndInTime = "a job expires at its time if it has not started, fails after its total time, and neither before that"
    case limitsHold = "no more jobs of a limit run at once than it says, and it is not deleted while a job counts in it"
    case ratesHold = "no more attempts of a limit begin than its burst and what comes in time, and where none waits others are refused"
    case uniqueKeysHold = "at most one unfinished job of a loader has a unique key, and at most one waits behind it"
    case reasonsAreTrue = "each waiting job is said to wait for what keeps it, by a look at all that could"
    case refusalsAreKnown = "a request is refused with a code that the protocol names for it"
    case reservationsHold = "a job that needs several permits is not passed for ever by jobs behind it"
    case nothingIsLate = "nothing comes late or is refused that nothing has made late"
    case objectsStay = "no object that is named is collected"
    case pausesHold = "no job of a paused loader or group is granted, nor one to a paused worker, and no pause ends before its time"
    case retriesKeepTheirRule = "a job is tried as often, and after such pauses, as its rule says"
    case loadersAreKnown = "a loader that a worker has offered is known, and one that none has is refused"
    case linesAreItsOwn = "the lines that are kept of a job are those that it wrote while somebody held it"
    case resumesWhereItWas = "an attempt begins with what an earlier one of its job saved last"
    case runsAreTrue = "the runs that are kept of a job are those that were granted, each with how it ended"
    case sharesAreFair = "clients with waiting jobs of one loader get them in turns, each as often as it weighs"
    case scheduledWaits = "a scheduled job is not granted before its time"
    case quarantineIsEarned = "only a job with enough counted crashes is quarantined"
    case renewedIsKept = "a worker that renewed in time is not given up"
    case timeoutsKeepTheirTime = "no attempt is asked to stop for its time before that has passed"
    case workGoesOn = "what one turn leaves to do is done by later ones, be it in another life"

    // What leaves the front.
    case ackedIsDurable = "a report is acknowledged only when what it says is durable"
    case deposedAreSilent = "nothing leaves a front that has a successor"
    case durableBeforeSent = "nothing is sent before it is durable"
    case framesAreReadable = "every frame can be read, that of a publication, too"
    case framesFit = "no frame is larger than its receiver takes"
    case itemsAreReadable = "every item can be read"
    case observersSeeTheState = "observers see what the front holds"
    case onlyWritersSend = "nothing leaves a front that may not be the writer"
    case replicasEqual = "replicas equal the front"
    case snapshotsAgree = "snapshots and changes agree"

    // What is written.
    case restartKeeps = "a restart keeps what was durable"
    case rowsAreReadable = "every row can be read"
    case rowsInOrder = "rows are written in the order of their turns"
    case rowsUnderWayAreFew = "no more rows are under way than may be"
    case stateIsReplay = "the state equals the replay of the journal"
}

/// A promise that was broken.
package struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which.
    package let promise: Promise
    /// What broke it, and when.
    package let text: String

    /// One line.
    package var description: String { "\(promise.rawValue): \(text)" }
}
