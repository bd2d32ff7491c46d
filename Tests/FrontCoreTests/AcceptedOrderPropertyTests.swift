//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Orders under random interleavings")
struct AcceptedOrderPropertyTests {
    /// What was asked for last of each kind, and is to be in effect at the end.
    private struct Wanted: Equatable {
        var sort: SortOrder?
        var filter = ""
        var selection: String?
    }

    private let views = ["shared", "mine"]

    /// Requests, grants, ends, failures and cancels in any order. Orders are never cancelled or failed here: only other work is.
    @Test(
        "whatever crosses them, each view's last accepted sort, filter and selection, and every save, are in effect at the end",
        arguments: 0..<60)
    func lastAccepted(seed: Int) throws {
        var numbers = SplitMix64(mixing: UInt64(seed))
        let isEditable = seed % 2 == 1
        let key = try FeedWorld.key(isEditable ? "todos" : "items?parameter=sample")
        var world = FeedWorld()
        var wanted: [String: Wanted] = ["shared": Wanted(), "mine": Wanted()]
        var saved: Set<JobID> = []
        _ = world.front.ask(.feed(key, .load))
        world.rest()
        for view in views { _ = world.front.ask(.feed(key, .attach(view: view))) }
        for _ in 0..<120 {
            let view = views.randomElement(using: &numbers) ?? "shared"
            switch Int.random(in: 0..<14, using: &numbers) {
            case 0, 1:
                let order = [nil, "price", "title", "id"].randomElement(using: &numbers)?.map { SortOrder(field: $0) }
                guard isAccepted(world.front.ask(.feed(key, .sort(view: view, order: order, version: nil)))) else { continue }
                wanted[view]?.sort = order
            case 2, 3:
                let text = ["", "a", "ab"].randomElement(using: &numbers) ?? ""
                guard isAccepted(world.front.ask(.feed(key, .filter(view: view, text: text, version: nil)))) else { continue }
                wanted[view]?.filter = text
            case 4, 5:
                let item = [nil, "1", "2"].randomElement(using: &numbers) ?? nil
                guard isAccepted(world.front.ask(.feed(key, .select(view: view, itemID: item, version: nil)))) else { continue }
                wanted[view]?.selection = item
            case 6: _ = world.front.ask(.feed(key, .refresh))
            case 7:
                guard isEditable, case .accepted(let job, _)? = world.front.ask(.feed(key, .update(itemID: "1", item: [123, 125]))) else {
                    continue
                }
                saved.insert(job)
            case 8: world.grant()
            case 9, 10: endSomething(&world, &numbers)
            case 11: cancelOther(&world, key, &numbers)
            case 12: failOther(&world, &numbers)
            default:
                guard let content = world.front.feed(key)?.content?.object.digest, !isEditable else { continue }
                world.worker.take(world.front.handle(.objectDamaged(content)))
            }
        }
        if world.front.feed(key)?.content == nil { _ = world.front.ask(.feed(key, .load)) }
        world.rest()
        let content = try #require(world.front.feed(key)?.content)
        let ended = saved.filter { world.front.job($0)?.state == .succeeded }
        #expect(ended == world.saves[content.object.digest] ?? [])
        for name in views {
            let view = try #require(world.front.view(key, name))
            #expect(Wanted(sort: view.sort, filter: view.filter, selection: view.selection) == wanted[name])
            let revision = try #require(view.revision)
            #expect((revision.sort, revision.filter) == (view.sort, view.filter))
            #expect(revision.content == content.object && revision.version == content.version)
            #expect(view.sorting == nil)
            if case .loading = view.detail { Issue.record("a detail is still on its way") }
        }
    }

    private func isAccepted(_ reply: Reply?) -> Bool {
        switch reply {
        case .accepted?, .done?: true
        default: false
        }
    }

    private func endSomething(_ world: inout FeedWorld, _ numbers: inout SplitMix64) {
        guard let held = world.worker.held.randomElement(using: &numbers) else { return }
        if world.front.job(JobID(held.job))?.state == .cancelling {
            world.worker.take(world.worker.end(held.job, .cancelled, in: &world.front))
        } else {
            world.finish(held.job)
        }
    }

    private func others(_ world: FeedWorld) -> [JobID] {
        world.worker.held.filter { held in
            switch held.work?.operation {
            case .load?, .merge?, .create?, .update?: true
            case .sort?, .detail?, nil: false
            }
        }.map { JobID($0.job) }
    }

    private func cancelOther(_ world: inout FeedWorld, _ key: FeedKey, _ numbers: inout SplitMix64) {
        if let job = others(world).randomElement(using: &numbers) { _ = world.front.ask(.job(.cancel(job))) }
    }

    private func failOther(_ world: inout FeedWorld, _ numbers: inout SplitMix64) {
        guard let job = others(world).randomElement(using: &numbers), world.front.job(job)?.state == .running else { return }
        world.fail(job, .unreachable)
    }
}
