//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A mistake that a world is made with, so that the checker of the promise that it breaks is seen to work.
///
/// Each comes in as a faulty part: a codec, journal, socket, clock or setting that lies to production code which knows nothing of it.
package enum InjectedBug: String, Sendable, CaseIterable {
    // The journal.

    /// The journal calls a row durable before it is written.
    case durableTooEarly
    /// The journal asks for the next row while one is under way.
    case hurriedJournal
    /// All rows under way are called durable when the first one is.
    case newestReportedDurable
    /// A commit in doubt is called durable.
    case doubtReportedDurable
    /// The journal says that the front is the writer though its authority has run out.
    case authorityClaimed
    /// The journal says so of a front that has a successor.
    case successorOverlooked
    /// The journal is handed each row twice, with other bytes the second time.
    case rowsDoubled
    /// Old rows are dropped together with the first one of the checkpoint.
    case cutTooFar

    // What the front writes.

    /// Rows are cut at their end.
    case rowsUnreadable
    /// Retained replies are left out of the rows.
    case repliesLeftOut
    /// Grants that came back are left out of the rows.
    case returnsLeftOut
    /// The last entry of a row is written with the next row: the journal is wrong for one turn at a time.
    case entriesLate
    /// Checkpoints leave views out.
    case checkpointForgetsViews
    /// The rank of a job is read wrongly at restart.
    case rankMisread
    /// An action that has repeated jobs is written as one that has not come past them.
    case repeatedAgain
    /// That new jobs repeat ended ones is left out of the rows.
    case repeatsLeftOut
    /// That jobs were snoozed is left out of the rows.
    case snoozesLeftOut
    /// Jobs are said to be due at a time at which none of them is.
    case duesTooEarly
    /// The pauses between attempts are halved in the rows.
    case pausesCut
    /// Jobs are written as if they expired an hour later.
    case expiriesLate
    /// Jobs are written as if they might take twice as long in all.
    case totalsLate
    /// Limits that say something new are written as deleted ones.
    case limitsDropped
    /// Runs are written as if each had been granted when it ended.
    case runsCutShort
    /// What was left to do is read at restart as if it had been done.
    case workForgotten

    // What the front reads.

    /// A report counts again once its job has a new lease, as if it named that one.
    case leaseForgiven
    /// Each report is read twice.
    case reportsDoubled
    /// The socket of the workers is called empty though frames lie in it.
    case renewalsOverlooked
    /// Lines are read as those of the next job.
    case linesMixed
    /// "Stopping" is read as "stopped".
    case stoppingIsStopped
    /// Results are read as those of an earlier run.
    case resultsStale
    /// A worker's slots are read as one more than it has.
    case slotTooMany
    /// A filter is read as none.
    case filterLost
    /// An order of the view `shared` is read as one of another view.
    case sharedOrderMisread
    /// A selection is read as none.
    case selectionLost
    /// The version that a request for a view names is not read.
    case versionsOverlooked
    /// Each of the jobs that are submitted together is read with the options of the next.
    case optionsMixed
    /// The capacity of a limit is read as one more.
    case capacityMisread
    /// A submit is read as one that takes any loader.
    case anyLoaderTaken
    /// A pause is read as a question that is answered alike.
    case pausesOverlooked
    /// The rate of a limit is read as three times as much.
    case rateMisread
    /// A limit that lets no job wait is read as one that does.
    case beyondOverlooked
    /// A unique key that is taken until its job has ended is read as one that is free once that has started.
    case keysFreedEarly
    /// The time for which a debounced key is to be quiet is read as a tenth of it.
    case debouncesCut
    /// How long a debounced load waits at most is read as twice as long.
    case loadsHeldBack
    /// A drain is read as a question that is answered alike.
    case drainsOverlooked
    /// An action with many jobs of one loader is read as one with those of all.
    case selectionsWidened

    // What the front sends to workers.

    /// Cancels do not reach workers.
    case cancelsLeftOut
    /// Reports are acknowledged as they are read.
    case ackedTooEarly
    /// Workers never hear that they are to drain.
    case drainsLeftOut
    /// Workers are told half the times that attempts may take.
    case timeoutsHalved
    /// Attempts begin with nothing that an earlier one has saved.
    case statesDropped
    /// Every load is granted as one of the same feed.
    case keysMixed
    /// A grant says that its limits allow one job fewer than they do.
    case limitsMisstated
    /// Edits are granted without the list that they change.
    case editsBeginAnew

    // What the front sends to clients.

    /// Bookmarks are not published.
    case bookmarksLeftOut
    /// Counts are sent with one job too many.
    case countsSpoiled
    /// A worker's item is sent with a slot too many.
    case itemSpoiled
    /// The item of a feed is no item.
    case itemsUnreadable
    /// Publications are cut at their end.
    case publicationsUnreadable
    /// Frames with outcomes are cut at their end.
    case framesUnreadable
    /// Frames are sent that their receivers do not take.
    case framesTooLarge
    /// Snapshots lack their first item.
    case snapshotsShort
    /// The first outcome of an answer is another one.
    case endsSpoiled
    /// A cancelled job is said to have succeeded.
    case cancelledReportedDone
    /// An accepted load is said to be cancelled.
    case loadReportedCancelled
    /// A waiting job is listed as ended.
    case waitingReportedEnded
    /// Outcomes are said not to be known.
    case outcomesUnknown
    /// Refusals name another code.
    case codesMisstated
    /// Lists of jobs lack their first one.
    case listShort

    // Settings, clocks, and the other processes.

    /// A job is quarantined after its first death.
    case quarantineTooEarly
    /// What is free of a limit is kept for a heavy job after an hour only.
    case neverReserved
    /// One client is taken to weigh far more than the others.
    case weightsMisread
    /// Ended jobs are kept far beyond their bound.
    case endedKeptTooLong
    /// What the configuration says of single failure codes is overlooked.
    case codesOverlooked
    /// More jobs may wait than the bound says.
    case queueTooLong
    /// Replies are kept that have no room.
    case repliesTooLarge
    /// More reading requests of a session are taken than the bound says.
    case readingsTooMany
    /// Far more of what comes is taken out of the sockets than there is room for.
    case inboxTooLarge
    /// Collection takes what is named.
    case collectsNamed
    /// The front's wait returns at once.
    case restless
    /// A worker runs one job more than it has slots.
    case slotsOverrun
    /// A worker says that work may be repeated which may not.
    case onceReportedRepeatable
    /// A client reads other bytes than were sent, and a checksum that fits them.
    case clientMisreads
    /// A worker that is stopped is taken for one whose process has ended.
    case stoppedTakenForEnded

    /// The promise that it breaks; a world with this bug looks for no other.
    package var breaks: Promise {
        switch self {
        case .durableTooEarly, .newestReportedDurable, .doubtReportedDurable: .durableBeforeSent
        case .hurriedJournal: .rowsUnderWayAreFew
        case .authorityClaimed: .onlyWritersSend
        case .successorOverlooked: .deposedAreSilent
        case .rowsDoubled: .rowsInOrder
        case .cutTooFar: .frontGoesOn
        case .rowsUnreadable: .rowsAreReadable
        case .repliesLeftOut: .carriedOutOnce
        case .returnsLeftOut, .repeatsLeftOut, .snoozesLeftOut, .entriesLate: .stateIsReplay
        case .checkpointForgetsViews: .restartKeeps
        case .rankMisread: .grantsInOrder
        case .duesTooEarly: .scheduledWaits
        case .pausesCut, .codesOverlooked: .retriesKeepTheirRule
        case .runsCutShort: .runsAreTrue
        case .weightsMisread: .sharesAreFair
        case .linesMixed: .linesAreItsOwn
        case .expiriesLate, .totalsLate: .jobsEndInTime
        case .workForgotten: .workGoesOn
        case .leaseForgiven: .runsOnceAtATime
        case .reportsDoubled: .nothingIsLate
        case .renewalsOverlooked, .stoppedTakenForEnded: .renewedIsKept
        case .stoppingIsStopped: .endedIsStopped
        case .resultsStale: .lateIsIgnored
        case .slotTooMany: .grantsFitSlots
        case .filterLost, .sharedOrderMisread: .orderStays
        case .selectionLost: .selectionStays
        case .versionsOverlooked: .conflictsAreReported
        case .optionsMixed: .optionsStay
        case .capacityMisread, .limitsDropped: .limitsHold
        case .anyLoaderTaken: .loadersAreKnown
        case .pausesOverlooked: .pausesHold
        case .rateMisread, .beyondOverlooked: .ratesHold
        case .neverReserved: .reservationsHold
        case .keysFreedEarly: .uniqueKeysHold
        case .debouncesCut, .loadsHeldBack: .debouncesHold
        case .drainsOverlooked: .drainedGetsNothing
        case .selectionsWidened: .bulksAreWhole
        case .codesMisstated: .refusalsAreKnown
        case .repeatedAgain: .repeatedOnce
        case .drainsLeftOut, .bookmarksLeftOut: .everythingEnds
        case .cancelsLeftOut: .cancelIsQuick
        case .ackedTooEarly: .ackedIsDurable
        case .timeoutsHalved: .timeoutsKeepTheirTime
        case .statesDropped: .resumesWhereItWas
        case .keysMixed: .oneLoadAKey
        case .limitsMisstated: .auditsAgree
        case .editsBeginAnew: .saveStays
        case .countsSpoiled: .countsAreTrue
        case .itemSpoiled: .observersSeeTheState
        case .itemsUnreadable: .itemsAreReadable
        case .framesUnreadable, .publicationsUnreadable: .framesAreReadable
        case .framesTooLarge: .framesFit
        case .snapshotsShort: .snapshotsAgree
        case .endsSpoiled: .endsOnce
        case .cancelledReportedDone: .cancelledStays
        case .loadReportedCancelled: .cancelledPublishesNothing
        case .waitingReportedEnded: .nothingRunsAfterItsEnd
        case .outcomesUnknown: .outcomesCome
        case .listShort: .acceptedIsKept
        case .quarantineTooEarly: .quarantineIsEarned
        case .endedKeptTooLong, .queueTooLong, .repliesTooLarge, .readingsTooMany, .inboxTooLarge: .boundsHold
        case .collectsNamed: .objectsStay
        case .restless: .idleSleeps
        case .slotsOverrun: .slotsHold
        case .onceReportedRepeatable: .unrepeatableRunsOnce
        case .clientMisreads: .replicasEqual
        }
    }
}
