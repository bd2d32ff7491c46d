//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("every state of a lane with everything that can happen to it")
struct LaneStateTableTests {
    /// Where the lane of job 1 stands before; of loader 0, which worker 0 offers in all but the first two. `pausedAll`: paused with all loaders;
    /// `parked`: limited, and a turn has put it where it waits; `claimed`: suspected, and a turn has kept the worker for it; `held`: paused with the feed
    /// whose source its jobs ask.
    enum Start: CaseIterable {
        case empty, unoffered, paused, pausedAll, full, ready, limited, parked, suspected, claimed, held

        var state: LaneState {
            switch self {
            case .empty: .empty
            case .unoffered: .unoffered
            case .paused, .pausedAll, .held: .paused
            case .full: .full
            case .ready: .ready
            case .limited, .parked: .limited
            case .suspected, .claimed: .suspected
            }
        }
    }

    /// What happens then. `…Else`: in another lane of the loader, or of another one.
    enum Event: CaseIterable {
        case jobArrives, jobArrivesAgain, lastJobLeaves, lastJobIsSuspected, otherClientArrives, suspectArrives
        case workerRegisters, workerDrains, workerOffersElse, workerIsForgotten, roomIsFound, roomIsGone
        case permitIsFree, permitIsTaken, limitIsLowered, limitIsRaised, limitIsDeleted
        case pauseBegins, pauseEnds, allPausesBegin, allPausesEnd, pauseBeginsElse, feedIsHeld, feedIsFree, feedIsHeldElse
        case turn, turnWithIdleWorker
    }

    /// Where the lane stands after each event, a word for each start in the order of `Start`; behind a stroke what the scheduler refused, behind
    /// `>` who was given which job; `!`: a worker is kept for a suspected job.
    ///
    /// A worker that drains offers still: it may be asked to go on. So its loader's lanes are full.
    static let table: [Event: String] = [
        .jobArrives: "unoffered unoffered paused paused full ready limited limited suspected suspected! paused",
        .jobArrivesAgain:
            "empty/notFree unoffered/notFree paused/notFree paused/notFree full/notFree ready/notFree limited/notFree limited/notFree "
            + "suspected/notFree suspected!/notFree paused/notFree",
        .lastJobLeaves: "empty/notWaiting empty empty empty empty empty empty empty empty empty! empty",
        .lastJobIsSuspected: "empty/notWaiting empty empty empty empty empty empty empty suspected suspected! empty",
        .otherClientArrives: "empty unoffered paused paused full ready limited limited suspected suspected! paused",
        .suspectArrives: "empty unoffered paused paused full ready limited limited suspected suspected! paused",
        .workerRegisters: "empty ready paused paused ready ready limited limited suspected suspected! paused",
        .workerDrains: "empty/unknownWorker unoffered/unknownWorker paused paused full full limited limited suspected suspected! paused",
        .workerOffersElse: "empty unoffered paused paused unoffered unoffered unoffered unoffered suspected suspected paused",
        .workerIsForgotten:
            "empty/unknownWorker unoffered/unknownWorker paused paused unoffered unoffered unoffered unoffered suspected suspected paused",
        .roomIsFound: "empty/unknownWorker unoffered/unknownWorker paused paused ready ready limited limited suspected suspected! paused",
        .roomIsGone: "empty/unknownWorker unoffered/unknownWorker paused paused full full limited limited suspected suspected! paused",
        .permitIsFree: "empty unoffered paused paused full ready ready ready suspected suspected! paused",
        .permitIsTaken: "empty unoffered paused paused limited limited limited limited suspected suspected! paused",
        .limitIsLowered: "empty unoffered paused paused limited limited limited limited suspected suspected! paused",
        .limitIsRaised: "empty unoffered paused paused full ready ready ready suspected suspected! paused",
        .limitIsDeleted: "empty unoffered paused paused full ready ready ready suspected suspected! paused",
        .pauseBegins: "empty paused paused paused paused paused paused paused paused paused! paused",
        .pauseEnds: "empty unoffered ready paused full ready limited limited suspected suspected! paused",
        .allPausesBegin: "empty paused paused paused paused paused paused paused paused paused paused",
        .allPausesEnd: "empty unoffered paused ready full ready limited limited suspected suspected! paused",
        .pauseBeginsElse: "empty unoffered paused paused full ready limited limited suspected suspected! paused",
        .feedIsHeld: "empty paused paused paused paused paused paused paused paused paused! paused",
        .feedIsFree: "empty unoffered paused paused full ready limited limited suspected suspected! ready",
        .feedIsHeldElse: "empty unoffered paused paused full ready limited limited suspected suspected! paused",
        .turn: "empty unoffered paused paused full empty>0:[1] limited limited suspected! suspected! paused",
        .turnWithIdleWorker:
            "empty/unknownWorker unoffered/unknownWorker paused paused empty>0:[1] empty>0:[1] limited limited empty>0:[1] empty>0:[1] paused",
    ]

    /// All jobs count in one limit, which one that is not here has a permit of already; only limited lanes find no other.
    private func world(_ start: Start) -> SchedulerWorld {
        var world = SchedulerWorld()
        let isLimited = start.state == .limited
        world.scheduler.limits.apply(JournalEntry.LimitChanged("api", LimitRule(capacity: isLimited ? 1 : 2)))
        world.scheduler.limits.enter(1, jobs: 4, [LimitKey("api")])
        world.scheduler.limits.take(1)
        switch start {
        case .empty:
            world.make(1, limits: 1, feed: 1)
            world.slab[1].stand(.held, between: 0, and: 0)
        case .unoffered: world.insert(1, limits: 1, feed: 1)
        case .full, .suspected, .claimed:
            world.register(0)
            world.setRoom(of: 0) { ($0.slotsTaken, $0.held) = (1, 1) }
            world.insert(1, limits: 1, feed: 1, isSuspected: start != .full)
        case .ready, .paused, .pausedAll, .limited, .parked, .held:
            world.register(0)
            if start == .paused { world.scheduler.setPaused(0, true) }
            if start == .pausedAll { world.scheduler.setPaused(nil, true) }
            if start == .held { world.scheduler.setHeld([(1, true)]) }
            world.insert(1, limits: 1, feed: 1)
        }
        if start == .parked || start == .claimed { world.turn() }
        return world
    }

    private func limit(_ rule: LimitRule?, in world: inout SchedulerWorld) {
        world.scheduler.limits.apply(JournalEntry.LimitChanged("api", rule))
        world.scheduler.flush(in: world.slab)
    }

    private func hold(_ feed: Int, _ isHeld: Bool, in world: inout SchedulerWorld) {
        world.scheduler.setHeld([(feed, isHeld)])
        world.scheduler.flush(in: world.slab)
    }

    /// - Returns: what was refused, and who was given what.
    private func meet(_ event: Event, in world: inout SchedulerWorld, _ key: LaneKey) -> (SchedulerRefusal?, [SchedulerWorld.Grant]) {
        switch event {
        case .jobArrives: return (world.insert(2, limits: 1, feed: 1, isSuspected: key.isSuspect), [])
        case .jobArrivesAgain: return (world.scheduler.insert(1, key.terms, in: &world.slab), [])
        case .lastJobLeaves: return (world.remove(1), [])
        case .lastJobIsSuspected:
            if let refused = world.remove(1) { return (refused, []) }
            world.slab[1].endAttempt(JournalEntry.EndedAttempt(job: JobID(1), attempts: 1, crashCount: 1, isSuspected: true))
            defer { world.scheduler.flush(in: world.slab) }
            return (world.scheduler.insert(1, key.terms, in: &world.slab), [])
        case .otherClientArrives: return (world.insert(2, client: 7, limits: 1), [])
        case .suspectArrives: return (world.insert(2, limits: 1, isSuspected: true), [])
        case .workerRegisters: world.register(1)
        case .workerDrains: return (world.setRoom(of: 0) { ($0.isOffering, $0.isTaking) = (false, false) }, [])
        case .workerOffersElse: world.scheduler.setOffers(of: 0, slot: [1], ahead: [])
        case .workerIsForgotten: return (world.scheduler.removeWorker(0), [])
        case .roomIsFound: return (world.setRoom(of: 0) { ($0.isTaking, $0.slots, $0.slotsTaken) = (true, 1, 0) }, [])
        case .roomIsGone: return (world.setRoom(of: 0) { ($0.isTaking, $0.slots, $0.slotsTaken) = (true, 1, 1) }, [])
        case .permitIsFree:
            world.scheduler.limits.free(1)
            world.scheduler.flush(in: world.slab)
        case .permitIsTaken: world.scheduler.limits.take(1)
        case .limitIsLowered: limit(LimitRule(capacity: 1), in: &world)
        case .limitIsRaised: limit(LimitRule(capacity: 9), in: &world)
        case .limitIsDeleted: limit(nil, in: &world)
        case .pauseBegins: world.scheduler.setPaused(0, true)
        case .pauseEnds: world.scheduler.setPaused(0, false)
        case .allPausesBegin: world.scheduler.setPaused(nil, true)
        case .allPausesEnd: world.scheduler.setPaused(nil, false)
        case .pauseBeginsElse: world.scheduler.setPaused(1, true)
        case .feedIsHeld: hold(1, true, in: &world)
        case .feedIsFree: hold(1, false, in: &world)
        case .feedIsHeldElse: hold(2, true, in: &world)
        case .turn: return (nil, world.turn())
        case .turnWithIdleWorker:
            let refused = world.setRoom(of: 0) { ($0.isTaking, $0.slots, $0.slotsTaken, $0.held) = (true, 1, 0, 0) }
            return (refused, world.turn())
        }
        return (nil, [])
    }

    @Test("each start with each event; what cannot be is refused by name", arguments: Start.allCases)
    func rows(start: Start) throws {
        let place = try #require(Start.allCases.firstIndex(of: start))
        let key = LaneKey(loader: 0, terms: LaneTerms(limitSet: 1, feed: 1), isSuspect: start.state == .suspected)
        for event in Event.allCases {
            let row = try #require(Self.table[event]).split(separator: " ").map { String($0) }
            #expect(row.count == Start.allCases.count, "\(event)")
            var world = world(start)
            #expect(world.scheduler.state(of: key) == start.state)
            let (refusal, grants) = meet(event, in: &world, key)
            var text = "\(world.scheduler.state(of: key))" + (world.scheduler.claims.isEmpty ? "" : "!")
            if let refusal { text += "/\(refusal)" }
            for grant in grants { text += ">\(grant.worker):\(grant.jobs)" }
            #expect(text == row[place], "\(start) and \(event)")
            #expect(world.scheduler.refusals == (refusal == nil ? 0 : 1), "\(start) and \(event)")
        }
    }
}
