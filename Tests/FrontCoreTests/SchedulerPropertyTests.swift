//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// The scheduler against the same rules said with plain lists that are looked through each time.
@Suite("The scheduler against plain lists")
struct SchedulerPropertyTests {
    private struct PlainWorker {
        var slot: [Int]
        var ahead: [Int]
        var room: WorkerRoom

        func kind(_ loader: Int) -> WorkerRoom.Kind? { slot.contains(loader) ? .slot : ahead.contains(loader) ? .ahead : nil }

        /// Its load, if it takes a job of the loader.
        func load(_ loader: Int) -> Int? {
            guard let kind = kind(loader), room.isTaking, room.free(kind) > 0 else { return nil }
            return room.load(kind)
        }
    }

    private struct Plain {
        var waiting: [(key: RankKey, loader: Int, client: UInt32)] = []
        var suspects: [UInt64] = []
        var workers: [Int: PlainWorker] = [:]
        /// What each client has got of a loader, and since when it has waited for its turn; what the last one had got when it had its turn.
        var turns: [Int: [UInt32: (pass: Int64, order: Int)]] = [:]
        var passes: [Int: Int64] = [:]
        var order = 0

        /// A client with waiting jobs of a loader has come, or had its turn and got so many.
        mutating func note(_ client: UInt32, of loader: Int, got jobs: Int) {
            var pass = turns[loader]?[client]?.pass ?? 0
            if jobs == 0 { pass = max(pass, passes[loader] ?? 0) } else { passes[loader] = max(passes[loader] ?? 0, pass) }
            order += 1
            turns[loader, default: [:]][client] = (pass + Int64(jobs) * ((1 << 22) / Int64(client + 1)), order)
        }

        /// Whose turn it is.
        func client(of loader: Int) -> UInt32? {
            Set(waiting.filter { $0.loader == loader }.map(\.client)).min {
                (turns[loader]?[$0] ?? (0, 0)) < (turns[loader]?[$1] ?? (0, 0))
            }
        }

        func roomiest(_ loader: Int) -> Int? {
            workers.keys.sorted().filter { workers[$0]?.load(loader) != nil }
                .min { (workers[$0]?.load(loader) ?? 0) < (workers[$1]?.load(loader) ?? 0) }
        }

        var next: SchedulerWorld.Grant? {
            let first = waiting.filter { roomiest($0.loader) != nil }.min { $0.key < $1.key }
            guard let first, let worker = roomiest(first.loader), let kind = workers[worker]?.kind(first.loader) else { return nil }
            let limit = min(kind.jobsAtOnce, workers[worker]?.room.free(kind) ?? 0)
            let client = client(of: first.loader)
            let jobs = waiting.filter { $0.loader == first.loader && $0.client == client }.map(\.key).sorted().prefix(limit).map(\.id)
            return SchedulerWorld.Grant(worker: worker, jobs: jobs)
        }
    }

    private static let loaders = 7
    private static let clients = UInt32(4)

    @Test("whatever comes, goes and changes, the same jobs go to the same workers in the same order", arguments: 0..<40)
    func likePlainLists(seed: UInt64) {
        var numbers = SplitMix64(mixing: seed)
        var world = SchedulerWorld()
        var plain = Plain()
        var nextID: UInt64 = 1
        for _ in 0..<600 {
            switch Int.random(in: 0..<20, using: &numbers) {
            case 0..<8:
                let (loader, rank) = (Int.random(in: 0..<Self.loaders, using: &numbers), Int64.random(in: 0..<40, using: &numbers))
                let isSuspected = Int.random(in: 0..<12, using: &numbers) == 0
                let client = UInt32.random(in: 0..<Self.clients, using: &numbers)
                #expect(
                    world.insert(nextID, rank: rank, loader: loader, client: client, weight: client + 1, isSuspected: isSuspected) == nil)
                if isSuspected {
                    plain.suspects.append(nextID)
                } else {
                    if !plain.waiting.contains(where: { $0.loader == loader && $0.client == client }) {
                        plain.note(client, of: loader, got: 0)
                    }
                    plain.waiting.append((RankKey(rank: Rank(milliseconds: rank), id: nextID), loader, client))
                }
                nextID += 1
            case 8, 9: removeAny(&world, &plain, &numbers)
            case 10, 11: register(&world, &plain, &numbers)
            case 12:
                guard let worker = plain.workers.keys.sorted().randomElement(using: &numbers) else { continue }
                plain.workers[worker] = nil
                #expect(world.scheduler.removeWorker(worker) == nil)
            case 13..<16: changeRoom(&world, &plain, &numbers)
            default: grant(&world, &plain)
            }
            compare(&world, plain, &numbers)
        }
    }

    private func removeAny(_ world: inout SchedulerWorld, _ plain: inout Plain, _ numbers: inout SplitMix64) {
        let id: UInt64
        if let suspect = plain.suspects.first, Bool.random(using: &numbers) {
            plain.suspects.removeFirst()
            id = suspect
        } else {
            guard let index = plain.waiting.indices.randomElement(using: &numbers) else { return }
            id = plain.waiting.remove(at: index).key.id
        }
        #expect(world.remove(id) == nil)
        world.slab.remove(id)
    }

    private func register(_ world: inout SchedulerWorld, _ plain: inout Plain, _ numbers: inout SplitMix64) {
        let worker = Int.random(in: 0..<9, using: &numbers)
        // Few different offers, so that some workers are alike.
        let offers: [(slot: [Int], ahead: [Int])] = [([0, 1, 2], [3, 4]), ([0, 1], []), ([2, 3], [0]), ([], [4, 5]), ([], [])]
        guard let offer = offers.randomElement(using: &numbers) else { return }
        var room = plain.workers[worker]?.room ?? WorkerRoom()
        (room.isOffering, room.isTaking) = (true, true)
        (room.slots, room.placesAhead) = (Int.random(in: 1...4, using: &numbers), Int.random(in: 4...100, using: &numbers))
        plain.workers[worker] = PlainWorker(slot: offer.slot, ahead: offer.ahead, room: room)
        world.scheduler.setOffers(of: worker, slot: offer.slot, ahead: offer.ahead)
        #expect(world.scheduler.setRoom(of: worker, to: room) == nil)
    }

    private func changeRoom(_ world: inout SchedulerWorld, _ plain: inout Plain, _ numbers: inout SplitMix64) {
        guard let worker = plain.workers.keys.sorted().randomElement(using: &numbers), var room = plain.workers[worker]?.room else {
            return
        }
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: room.isTaking.toggle()
        case 1: room.isOffering.toggle()
        case 2: room.slotsTaken = Int.random(in: 0...room.slots, using: &numbers)
        default: room.takenAhead = Int.random(in: 0...room.placesAhead, using: &numbers)
        }
        plain.workers[worker]?.room = room
        #expect(world.scheduler.setRoom(of: worker, to: room) == nil)
    }

    /// All that can be given, one choice after the other.
    private func grant(_ world: inout SchedulerWorld, _ plain: inout Plain) {
        while true {
            var jobs: [UInt64] = []
            let worker = world.scheduler.next(into: &jobs, in: world.slab)
            #expect(worker.map { SchedulerWorld.Grant(worker: $0, jobs: jobs) } == plain.next)
            guard let worker, let loader = jobs.first.map({ Int(world.slab[$0].loader) }) else { return }
            plain.client(of: loader).map { plain.note($0, of: loader, got: jobs.count) }
            for id in jobs {
                world.remove(id)
                world.slab.remove(id)
            }
            plain.waiting.removeAll { jobs.contains($0.key.id) }
            guard var room = plain.workers[worker]?.room else { return }
            if plain.workers[worker]?.kind(loader) == .slot { room.slotsTaken += jobs.count } else { room.takenAhead += jobs.count }
            plain.workers[worker]?.room = room
            world.scheduler.setRoom(of: worker, to: room)
        }
    }

    /// Jobs of loaders that nobody offers, counted by looking at all.
    private func checkWaits(_ world: SchedulerWorld, _ plain: Plain) {
        let loaders = plain.waiting.map(\.loader) + plain.suspects.map { Int(world.slab[$0].loader) }
        var counts: [String: UInt64] = [:]
        for loader in loaders where !plain.workers.values.contains(where: { $0.kind(loader) != nil && $0.room.isOffering }) {
            counts["\(loader)", default: 0] += 1
        }
        let reported = world.scheduler.unoffered { "\($0)" }
        #expect(Dictionary(uniqueKeysWithValues: reported.listed.map { ($0.loader, $0.count) }) == counts && reported.others == 0)
    }

    private func compare(_ world: inout SchedulerWorld, _ plain: Plain, _ numbers: inout SplitMix64) {
        #expect(world.scheduler.count == plain.waiting.count + plain.suspects.count)
        for loader in 0..<Self.loaders {
            let jobs = plain.waiting.filter { $0.loader == loader }.map(\.key).sorted()
            let offering = plain.workers.values.filter { $0.kind(loader) != nil }
            for client in 0..<Self.clients {
                let key = LaneKey(loader: loader, terms: LaneTerms(client: client))
                let own = plain.waiting.filter { $0.loader == loader && $0.client == client }
                let state: LaneState =
                    own.isEmpty ? .empty : plain.roomiest(loader) != nil ? .ready : offering.isEmpty ? .unoffered : .full
                #expect(world.scheduler.state(of: key) == state)
                #expect(world.scheduler.first(of: key) == own.map(\.key).min()?.id ?? 0)
            }
            #expect(world.scheduler.isOffered(loader) == offering.contains { $0.room.isOffering })
            #expect(world.scheduler.slotsOffered(loader) == offering.filter(\.room.isOffering).reduce(0) { $0 + $1.room.slots })
            if let (index, key) = jobs.enumerated().randomElement(using: &numbers) {
                let place = world.scheduler.countBefore(key.id, world.terms[key.id] ?? LaneTerms(), in: world.slab)
                let clients = Set(plain.waiting.filter { $0.loader == loader }.map(\.client))
                #expect(clients.count > 1 ? place < jobs.count : place == index)
            }
        }
        checkWaits(world, plain)
        let lanes = Dictionary(grouping: plain.waiting) { LaneKey(loader: $0.loader, terms: LaneTerms(client: $0.client)) }
        let heads = lanes.values.compactMap { $0.map(\.key).min()?.id }
        #expect(world.scheduler.oldestAcceptance == heads.map { WallTime(milliseconds: Int64($0) * 10) }.min())
    }
}
