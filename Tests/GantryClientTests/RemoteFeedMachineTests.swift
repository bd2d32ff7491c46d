//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Loading
import Testing

@testable import GantryClient

@Suite("What a remote feed shows")
struct RemoteFeedMachineTests {
    @Test("a load shows loading at once, the job's wait and progress, and ends when its page is shown")
    func load() {
        var world = FeedWorld()
        let call = world.call(.load)
        #expect(world.takeWords() == ["follow", "show loading"])
        world.send()
        #expect(world.takeWords() == [])
        world.feed.activity = .waiting(JobID(4), .slotsTaken)
        world.send()
        #expect(world.takeWords() == ["show loading Waiting: no slot is free for it"])
        world.feed.activity = .loading(JobID(4), cause: .asked, attempt: 1)
        world.progress = JobProgress(percent: 40, completed: 4, total: 10, unit: "items", message: "reading")
        world.send()
        #expect(world.takeWords() == ["show loading 40% reading 4 of 10 items"])
        (world.feed.activity, world.progress) = (.idle, nil)
        world.setContent(4)
        world.send()
        #expect(world.takeWords() == ["read 4 from 0"])
        world.end(call, 4)
        #expect(world.takeWords() == ["limit 1"])
        world.readPage("four")
        #expect(world.takeWords() == ["show loaded(four)", "finish 1"])
    }

    @Test("a page has 1 to 1,000 items, whatever was wished", arguments: [(UInt32(0), UInt32(1)), (50, 50), (5_000, 1_000)])
    func pageSize(requested: UInt32, limit: UInt32) {
        var world = FeedWorld()
        world.machine = RemoteFeedMachine<String>(limit: requested)
        _ = world.call(.load)
        world.setContent(4)
        world.send()
        let limits = world.actions.compactMap { action in if case .read(let target) = action { target.limit } else { nil } }
        #expect(limits == [limit])
    }

    @Test("the end of the job is not believed before the feed's own topic tells its outcome")
    func lateTopic() {
        var world = FeedWorld.loaded(1)
        let call = world.call(.load)
        world.end(call, 4)
        #expect(world.takeWords() == ["show loading", "limit 2"])
        world.send()
        #expect(world.takeWords() == [])
        world.setContent(4)
        world.send()
        world.readPage("four")
        #expect(world.takeWords() == ["read 4 from 0", "show loaded(four)", "finish 2"])
    }

    @Test("a load that was cancelled ends with the state as it is, at once")
    func cancelledJob() {
        var world = FeedWorld.loaded(1)
        let call = world.call(.load)
        _ = world.takeWords()
        world.end(call, 4, .cancelled)
        #expect(world.takeWords() == ["limit 2", "show loaded(page 1)", "finish 2"])
    }

    @Test("when the topics stay silent the state as it is answers the call: nobody waits for ever")
    func gracePeriod() {
        var world = FeedWorld.loaded(1)
        let call = world.call(.load)
        world.end(call, 4)
        _ = world.takeWords()
        world.act { $0.gracePeriodEnded(call ?? 0, into: &$1) }
        #expect(world.takeWords() == ["show loaded(page 1)", "finish 2"])
    }

    @Test("a failed load is a failure with the front's word, of one identity in all processes, once per job")
    func failure() throws {
        var worlds = [FeedWorld(), FeedWorld()]
        for index in worlds.indices {
            let call = worlds[index].call(.load)
            worlds[index].feed.failure = Failure(id: FailureID(4), code: .httpStatus, text: "status 503", retryable: true, attempts: 1)
            worlds[index].send()
            worlds[index].end(call, 4, .failed)
            #expect(worlds[index].takeWords() == ["follow", "show loading", "limit 1", "show status 503", "finish 1"])
        }
        #expect(worlds[0].machine.shown == worlds[1].machine.shown)
        #expect((worlds[0].machine.shown.error as? ClientError)?.code == ClientErrorCode(.httpStatus))
        let first = worlds[0].machine.shown
        _ = worlds[0].call(.load)
        worlds[0].feed.failure?.id = FailureID(5)
        worlds[0].send()
        worlds[0].end(2, 5, .failed)
        #expect(worlds[0].machine.shown != first)
    }

    @Test("an older failure is not the outcome of a new load")
    func olderFailure() {
        var world = FeedWorld()
        world.feed.failure = Failure(id: FailureID(2), code: .unreachable, text: "old")
        let call = world.call(.load)
        world.send()
        world.end(call, 4)
        #expect(world.machine.shown == .loading(nil))
        world.feed.failure = nil
        world.setContent(4)
        world.send()
        world.readPage("four")
        #expect(world.machine.shown == .loaded("four"))
    }

    @Test("what others do shows too: their loads, their resets; a refresh in the background hides nothing")
    func others() {
        var world = FeedWorld.loaded(1)
        world.feed.activity = .waiting(JobID(4), .slotsTaken)
        world.send()
        #expect(world.takeWords() == [])
        world.feed.activity = .loading(JobID(4), cause: .refresh, attempt: 1)
        world.send()
        #expect(world.takeWords() == [])
        world.feed.activity = .loading(JobID(4), cause: .asked, attempt: 1)
        world.send()
        #expect(world.takeWords() == ["show loading"])
        world.feed = FeedState(key: world.feed.key)
        world.view.revision = nil
        world.send()
        #expect(world.takeWords() == ["show idle"])
        world.act { $0.feedChanged(nil, nil, of: FrontID(7), Epoch(1), into: &$1) }
        #expect(world.takeWords() == [])
    }

    @Test("a feed that the front keeps no more is idle, and so it is for a front that never had it")
    func gone() {
        var world = FeedWorld.loaded(1)
        world.act { $0.feedChanged(nil, nil, of: FrontID(8), Epoch(1), into: &$1) }
        #expect(world.takeWords() == ["show idle"])
    }

    @Test("our own refresh keeps what is shown, and is over when its content is there")
    func refresh() {
        var world = FeedWorld.loaded(1)
        let call = world.call(.refresh)
        world.feed.activity = .loading(JobID(4), cause: .refresh, attempt: 1)
        world.send()
        world.feed.activity = .idle
        world.setContent(4)
        world.send()
        world.end(call, 4)
        world.readPage("four")
        #expect(world.takeWords() == ["read 4 from 0", "limit 2", "show loaded(four)", "finish 2"])
    }

    @Test("cancel, reset and the withdrawal of the last call leave nobody waiting and nothing at loading")
    func leaving() {
        for (index, rest) in [LoadingState.loaded("page 1"), .idle, .loaded("page 1")].enumerated() {
            var world = FeedWorld.loaded(1)
            let call = world.call(.load) ?? 0
            _ = world.takeWords()
            world.act { machine, actions in
                switch index {
                case 0: machine.cancelled(into: &actions)
                case 1: machine.reset(into: &actions)
                default: machine.withdrew(call, into: &actions)
                }
            }
            #expect(!world.machine.isVerified && world.actions.contains(.verify(false)), "nobody looks any more")
            #expect(Set(world.takeWords()) == ["show \(rest)", "leave", "finish 2"])
            #expect(world.machine.shown == rest)
            #expect(world.machine.isCanceled == (index == 0))
            world.setContent(9)
            world.send()
            world.end(call, 9)
            world.feed.activity = .loading(JobID(10), cause: .asked, attempt: 1)
            world.send()
            world.feed.failure = Failure(id: FailureID(10), code: .unreachable, text: "late")
            world.feed.activity = .idle
            world.send()
            #expect(world.takeWords() == [])
            #expect((world.call(.load) == nil) == (index == 0))
        }
    }

    @Test("withdrawing one of two calls leaves the other one loading")
    func withdrawingOne() {
        var world = FeedWorld()
        _ = world.call(.load)
        _ = world.call(.load)
        _ = world.takeWords()
        world.act { $0.withdrew(1, into: &$1) }
        #expect(world.takeWords() == ["finish 1"])
        #expect(world.machine.shown == .loading(nil))
        #expect(world.machine.isLive(2))
    }

    @Test("a page read for a former life of the loader is dropped")
    func latePage() {
        var world = FeedWorld()
        _ = world.call(.load)
        world.setContent(1)
        world.send()
        world.act { $0.reset(into: &$1) }
        world.readPage("late")
        #expect(world.machine.shown == .idle)
        _ = world.takeWords()
        _ = world.call(.attach)
        world.send()
        #expect(world.takeWords() == ["follow", "read 1 from 0"])
    }

    @Test("a refused request is a failure until something is asked again or the feed changes")
    func refusal() {
        var world = FeedWorld.loaded(1)
        let error = HashableError(ClientError(.busy, "too many feeds"))
        let call = world.call(.load) ?? 0
        world.act { $0.failed(call, error, into: &$1) }
        #expect(world.machine.shown == .failure(error))
        world.send()
        #expect(world.machine.shown == .failure(error))
        world.feed.activity = .loading(JobID(4), cause: .refresh, attempt: 1)
        world.send()
        #expect(world.machine.shown == .loaded("page 1"))
    }

    @Test("a feed that cannot be followed fails the calls that wait, and the next call begins anew")
    func followingFails() {
        var world = FeedWorld()
        _ = world.call(.load)
        _ = world.takeWords()
        world.act { $0.followingFailed(HashableError(ClientError(ClientErrorCode(.unknownFeed), "no such feed")), into: &$1) }
        #expect(world.takeWords() == ["show no such feed", "leave", "finish 1"])
        _ = world.call(.load)
        #expect(world.takeWords() == ["follow", "show loading"])
    }

    @Test("another order and another part of the list are read while the old page stays")
    func turning() {
        var world = FeedWorld.loaded(3)
        world.view.revision?.sort = SortOrder(field: "title")
        world.send()
        world.readPage("sorted")
        #expect(world.takeWords() == ["read 3 from 0", "show loaded(sorted)"])
        world.act { $0.turned(to: 2, into: &$1) }
        world.readPage("rest")
        #expect(world.takeWords() == ["read 3 from 2", "show loaded(rest)"])
    }

    @Test("a page that was wanted before the list was turned is dropped")
    func outrunPage() {
        var world = FeedWorld.loaded(3)
        world.act { $0.turned(to: 1, into: &$1) }
        _ = world.takeWords()
        let outrun = world
        world.act { $0.turned(to: 2, into: &$1) }
        _ = world.takeWords()
        world.readPage("too late", for: outrun)
        #expect(world.takeWords() == [])
        world.readPage("rest")
        #expect(world.takeWords() == ["show loaded(rest)"])
    }

    @Test("a loader that follows a feed again believes nothing that it knew before")
    func anew() {
        var world = FeedWorld.loaded(1)
        world.act { $0.reset(into: &$1) }
        _ = world.takeWords()
        _ = world.call(.attach)
        #expect(world.takeWords() == ["follow"])
        world.sendView()
        #expect(world.takeWords() == [])
        world.sendFeed()
        #expect(world.takeWords() == ["read 1 from 0"])
    }

    @Test("a view whose order is not ready keeps the old page, one whose order failed shows the pair it has")
    func sorting() {
        var world = FeedWorld.loaded(1)
        world.setContent(2, sorted: false)
        world.view.sorting = JobID(8)
        world.send()
        #expect(world.takeWords() == [])
        world.view.sorting = nil
        world.view.failure = Failure(id: FailureID(8), code: .unknownField, text: "no such field")
        world.send()
        #expect(world.machine.shown == .loaded("page 1"))
    }

    @Test("a page that could not be read is read again for the next call and in the front's next life")
    func failedPage() {
        var world = FeedWorld()
        _ = world.call(.attach)
        world.setContent(1)
        world.send()
        _ = world.takeWords()
        world.readPage(.failure(ClientError(.timedOut, "too late")))
        #expect(world.takeWords() == ["show too late", "finish 1"])
        world.send()
        #expect(world.takeWords() == [])
        world.epoch = Epoch(2)
        world.send()
        world.readPage("one")
        #expect(world.takeWords() == ["read 1 from 0", "show loaded(one)"])
    }

    @Test("while the front is lost what is shown stays and is not verified; it is again when both topics are verified")
    func lostFront() {
        var world = FeedWorld.loaded(3)
        #expect(world.machine.isVerified)
        world.act { $0.topicUnverified(isView: false, into: &$1) }
        #expect(world.actions == [.verify(false)])
        world.act { $0.topicUnverified(isView: true, into: &$1) }
        #expect(world.actions == [.verify(false)])
        #expect(world.machine.shown == .loaded("page 3"))
        world.sendFeed()
        #expect(!world.machine.isVerified)
        world.sendView()
        #expect(world.actions == [.verify(false), .verify(true)])
        #expect(world.machine.shown == .loaded("page 3"))
    }
}
