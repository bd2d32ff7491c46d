//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import FrontCore

@Suite("every state of a view with everything that can happen to it")
struct ViewTableTests {
    static let key = FeedKey.named("items?parameter=sample")
    static let (orderJob, detailJob, refreshJob, nextJob, otherJob) = (JobID(5), JobID(6), JobID(7), JobID(8), JobID(9))
    static let title = SortOrder(field: "title")

    static func object(_ number: UInt64) -> ObjectReference {
        ObjectReference(digest: ObjectDigest(words: (number, 7, 7, 7)), byteCount: 10, itemCount: 3)
    }

    /// A version of the feed's content.
    static func content(_ version: UInt64) -> FeedContent {
        FeedContent(object: object(version), version: ContentVersion(version), source: .network, storedAt: WallTime(milliseconds: 1))
    }

    static func job(_ id: JobID, _ operation: FeedOperation, requests: ViewRequests = .sort) -> JournalEntry.FeedJob {
        var job = JournalEntry.FeedJob(job: id, key: key, operation: operation, loader: "list", acceptedAt: WallTime(milliseconds: 1))
        (job.view, job.sort, job.requests, job.itemID) = ("mine", title, requests, "1")
        if id == refreshJob { job.cause = .refresh }
        return job
    }

    static func work(_ operation: FeedOperation, itemID: String? = nil) -> FeedWork {
        var work = FeedWork(key: key, operation: operation, settings: [], acceptedAt: WallTime(milliseconds: 1))
        (work.sort, work.itemID) = (title, itemID)
        return work
    }

    /// A view of the first content, in its own order.
    static func plain() -> ViewMachine { ViewMachine(named: "mine", beside: nil, of: content(1)) }

    static func text(_ step: ViewMachine.Step) -> String {
        switch step {
        case .ignore(let reason): "ignored, \(reason.rawValue)"
        case .rest: "rest"
        case .sort(let requests): "sort\(requests.contains(.sort) ? " sort" : "")\(requests.contains(.filter) ? " filter" : "")"
        case .loadDetail(let isShown): isShown ? "load" : "load again"
        }
    }

    static func text(replaced jobs: [JobID]) -> String? {
        jobs.isEmpty ? nil : "replaced \(jobs.map(\.description).joined(separator: " "))"
    }

    // MARK: Orders

    /// What happens to the order of a view. `other…`: it is of a job that the view does not wait for, or of an object that it does not name.
    /// `damagedBefore`: likewise, and the feed has another content since. `…Anew`: of a job that nobody asked for, which makes anew what is asked.
    enum OrderEvent: CaseIterable {
        case sort, sortBack, filter, accepted, postponed, made, otherMade, outdated, failed, otherFailed, cancelled, cancelledForFilter,
            lost
        case otherLost, taken, followed, reset, contentLost, damaged, otherDamaged, damagedBefore, failedAnew, cancelledAnew
    }

    /// What becomes of each standing by each event, in the order of `OrderEvent`: its standing, `!` with a failure, the view's version, and what
    /// else is to be done.
    static let orders: [ViewMachine.Standing: [String]] = [
        .empty: [
            "empty 1", "empty 1", "empty 1", "sorting 0", "empty 0", "empty 0, ignored, orderNotAwaited",
            "empty 0, ignored, orderNotAwaited", "empty 0, ignored, orderNotAwaited", "empty 0, ignored, orderNotAwaited",
            "empty 0, ignored, orderNotAwaited", "empty 0, ignored, orderNotAwaited", "empty 0, ignored, orderNotAwaited",
            "empty 0, ignored, orderNotAwaited", "empty 0, ignored, orderNotAwaited", "shown 0", "shown 0", "empty 1", "empty 0",
            "empty 0, rest", "empty 0, rest", "empty 0, rest", "empty 0, ignored, orderNotAwaited", "empty 0, ignored, orderNotAwaited",
        ],
        .shown: [
            "asked 1", "shown 1", "asked 1", "sorting 0", "shown 0", "shown 0, ignored, orderNotAwaited",
            "shown 0, ignored, orderNotAwaited", "shown 0, ignored, orderNotAwaited", "shown 0, ignored, orderNotAwaited",
            "shown 0, ignored, orderNotAwaited", "shown 0, ignored, orderNotAwaited", "shown 0, ignored, orderNotAwaited",
            "shown 0, ignored, orderNotAwaited", "shown 0, ignored, orderNotAwaited", "shown 0", "shown 0", "empty 1", "empty 0",
            "shown 0, sort", "shown 0, rest", "shown 0, sort", "shown 0, ignored, orderNotAwaited",
            "shown 0, ignored, orderNotAwaited",
        ],
        .asked: [
            "asked 2", "shown 2", "asked 2", "sorting 1", "asked 1", "asked 1, ignored, orderNotAwaited",
            "asked 1, ignored, orderNotAwaited", "asked 1, ignored, orderNotAwaited", "asked 1, ignored, orderNotAwaited",
            "asked 1, ignored, orderNotAwaited", "asked 1, ignored, orderNotAwaited", "asked 1, ignored, orderNotAwaited",
            "asked 1, ignored, orderNotAwaited", "asked 1, ignored, orderNotAwaited", "shown 1", "asked 1", "empty 2", "empty 1",
            "asked 1, sort", "asked 1, rest", "asked 1, sort", "asked 1, ignored, orderNotAwaited",
            "asked 1, ignored, orderNotAwaited",
        ],
        .sorting: [
            "sorting 2", "sorting 2", "sorting 2", "sorting 1, replaced 5", "asked 1, replaced 5", "shown 1, rest",
            "sorting 1, ignored, orderNotAwaited", "sorting 1, sort sort", "shown! 2, rest", "sorting 1, ignored, orderNotAwaited",
            "shown 2, rest", "asked 1, sort sort", "asked 1, sort sort", "sorting 1, ignored, orderNotAwaited",
            "shown 1, replaced 5", "sorting 1", "empty 2, replaced 5", "empty 1, replaced 5", "sorting 1, sort sort",
            "sorting 1, rest", "sorting 1, sort sort", "asked! 1, rest", "shown 2, rest",
        ],
    ]

    private func view(_ standing: ViewMachine.Standing) -> ViewMachine {
        guard standing != .empty else { return ViewMachine(named: "mine", beside: nil, of: nil) }
        var view = Self.plain()
        guard standing != .shown else { return view }
        view.sort(by: Self.title)
        if standing == .sorting { #expect(view.beginSort(by: Self.orderJob) == nil) }
        return view
    }

    /// - Returns: what else is to be done.
    private func meet(_ event: OrderEvent, _ view: inout ViewMachine) -> String? {
        func made(_ job: JobID, of version: UInt64) -> FeedJobRecord {
            var record = FeedJobRecord(job: Self.job(job, .sort))
            (record.granted, record.grantedVersion) = (Self.work(.sort), ContentVersion(version))
            return record
        }
        let failure = Failure(code: .loaderFailed, text: "no")
        let asked: ViewRequests = view.state.sorting == nil ? [] : .sort
        switch event {
        case .sort: view.sort(by: Self.title)
        case .sortBack: view.sort(by: nil)
        case .filter: view.filter(by: "a")
        case .accepted: return Self.text(replaced: [view.beginSort(by: Self.nextJob)].compactMap { $0 })
        case .postponed: return Self.text(replaced: [view.beginSort(by: nil)].compactMap { $0 })
        case .made: return Self.text(view.orderMade(made(Self.orderJob, of: 1), FeedResult(), of: Self.content(1)))
        case .otherMade: return Self.text(view.orderMade(made(Self.otherJob, of: 1), FeedResult(), of: Self.content(1)))
        case .outdated: return Self.text(view.orderMade(made(Self.orderJob, of: 1), FeedResult(), of: Self.content(2)))
        case .failed: return Self.text(view.orderFailed(Self.job(Self.orderJob, .sort), failure))
        case .otherFailed: return Self.text(view.orderFailed(Self.job(Self.otherJob, .sort), failure))
        case .cancelled: return Self.text(view.orderFailed(Self.job(Self.orderJob, .sort), nil))
        case .cancelledForFilter: return Self.text(view.orderFailed(Self.job(Self.orderJob, .sort, requests: .filter), nil))
        case .lost: return Self.text(view.orderLost(Self.orderJob))
        case .otherLost: return Self.text(view.orderLost(Self.otherJob))
        case .taken: return Self.text(replaced: [view.takeContent(Self.content(2), FeedResult(), for: Self.work(.load))].compactMap { $0 })
        case .followed: view.followContent(Self.content(2))
        case .reset: return Self.text(replaced: view.reset())
        case .contentLost: return Self.text(replaced: [view.contentLost()].compactMap { $0 })
        case .damaged: return Self.text(view.objectDamaged(Self.object(1).digest, of: Self.content(2), for: asked))
        case .otherDamaged: return Self.text(view.objectDamaged(Self.object(9).digest, of: Self.content(1), for: asked))
        case .damagedBefore: return Self.text(view.objectDamaged(Self.object(9).digest, of: Self.content(2), for: asked))
        case .failedAnew: return Self.text(view.orderFailed(Self.job(Self.orderJob, .sort, requests: []), failure))
        case .cancelledAnew: return Self.text(view.orderFailed(Self.job(Self.orderJob, .sort, requests: []), nil))
        }
        return nil
    }

    @Test("each standing with each event about its order", arguments: ViewMachine.Standing.allCases)
    func orderRows(standing: ViewMachine.Standing) throws {
        let row = try #require(Self.orders[standing])
        #expect(row.count == OrderEvent.allCases.count)
        for (event, expected) in zip(OrderEvent.allCases, row) {
            var view = view(standing)
            #expect(view.standing == standing)
            let answered = meet(event, &view)
            let stands = "\(view.standing)\(view.state.failure == nil ? "" : "!") \(view.state.version)"
            #expect(([stands] + [answered].compactMap { $0 }).joined(separator: ", ") == expected, "\(standing) and \(event)")
            guard standing != .empty else { continue }
            if event == .damaged {
                #expect(view.state.revision == ViewRevision(plain: Self.content(2)), "nothing is read by what is damaged")
            }
            if event == .otherDamaged || event == .damagedBefore { #expect(view.state.revision == ViewRevision(plain: Self.content(1))) }
        }
    }

    // MARK: Details

    /// How far the detail of the selected item "1" is; idle: nothing is selected.
    enum DetailStart: CaseIterable { case idle, loading, loaded, stored, failed }

    /// What happens to it. `refresh…`: by a job that loads again what is shown. `other…`: by one that the view does not wait for.
    enum DetailEvent: CaseIterable {
        case select, deselect, accepted, loaded, stored, failed, unknownItem, cancelled, outdated, refreshed, refreshOutdated, refreshFailed
        case refreshUnknownItem, otherLoaded, otherFailed, otherCancelled, lost, otherLost, itemGone, itemSaved, reset, contentLost
        case damaged, otherDamaged
    }

    /// What becomes of each start by each event, in the order of `DetailEvent`: what is selected, how far its detail is, `!` with a failure of the
    /// view, and what else is to be done.
    static let details: [DetailStart: [String]] = [
        .idle: ["2 idle", "- idle", "- loading 8"] + Array(repeating: "- idle, ignored, detailNotAwaited", count: 15)
            + ["- idle", "- idle", "- idle", "- idle", "- idle, rest", "- idle, rest"],
        .loading: [
            "2 idle, replaced 6", "- idle, replaced 6", "1 loading 8", "1 loaded, rest", "1 stored, rest", "1 failed, rest",
            "- idle!, load",
            "- idle, load", "1 loaded, load again", "1 loading 6, ignored, detailNotAwaited", "1 loading 6, ignored, detailNotAwaited",
            "1 loading 6, ignored, detailNotAwaited", "1 loading 6, ignored, detailNotAwaited", "1 loading 6, ignored, detailNotAwaited",
            "1 loading 6, ignored, detailNotAwaited", "1 loading 6, ignored, detailNotAwaited", "1 idle, load",
            "1 loading 6, ignored, detailNotAwaited", "- idle", "1 loading 6", "- idle, replaced 6", "1 loading 6", "1 loading 6, rest",
            "1 loading 6, rest",
        ],
        .loaded: shown("1 loaded"), .stored: shown("1 stored", isStored: true), .failed: shown("1 failed"),
    ]

    /// The row of a detail that something has come of.
    static func shown(_ stands: String, isStored: Bool = false) -> [String] {
        let ignored = "\(stands), ignored, detailNotAwaited"
        return ["2 idle", "- idle", "1 loading 8"] + Array(repeating: ignored, count: 6)
            + ["1 loaded, rest", "\(stands), load again", "1 failed, rest", "- idle, load"] + Array(repeating: ignored, count: 5)
            + ["- idle", stands, "- idle", stands, isStored ? "1 idle, load" : "\(stands), rest", "\(stands), rest"]
    }

    private func view(_ start: DetailStart) -> ViewMachine {
        var view = Self.plain()
        guard start != .idle else { return view }
        #expect(view.select("1") == nil)
        view.awaitDetail(by: Self.detailJob)
        let job = Self.job(Self.detailJob, .detail)
        switch start {
        case .idle, .loading: break
        case .loaded: #expect(view.detailCame(.loaded([1]), by: job, isOld: false) == .rest)
        case .stored: #expect(view.detailCame(.stored(Self.object(3)), by: job, isOld: false) == .rest)
        case .failed: #expect(view.detailFailed(job, Failure(code: .unreachable, text: "no")) == .rest)
        }
        return view
    }

    private func meet(_ event: DetailEvent, _ view: inout ViewMachine) -> String? {
        let (job, refresh, other) = (
            Self.job(Self.detailJob, .detail), Self.job(Self.refreshJob, .detail), Self.job(Self.otherJob, .detail)
        )
        func failure(_ code: FailureCode) -> Failure { Failure(code: code, text: "no") }
        var gone = FeedResult()
        gone.selectionFound = false
        switch event {
        case .select: return Self.text(replaced: [view.select("2")].compactMap { $0 })
        case .deselect: return Self.text(replaced: [view.select(nil)].compactMap { $0 })
        case .accepted: view.awaitDetail(by: Self.nextJob)
        case .loaded: return Self.text(view.detailCame(.loaded([2]), by: job, isOld: false))
        case .stored: return Self.text(view.detailCame(.stored(Self.object(4)), by: job, isOld: false))
        case .failed: return Self.text(view.detailFailed(job, failure(.unreachable)))
        case .unknownItem: return Self.text(view.detailFailed(job, failure(.unknownItem)))
        case .cancelled: return Self.text(view.detailCancelled(job))
        case .outdated: return Self.text(view.detailCame(.loaded([2]), by: job, isOld: true))
        case .refreshed: return Self.text(view.detailCame(.loaded([2]), by: refresh, isOld: false))
        case .refreshOutdated: return Self.text(view.detailCame(.loaded([2]), by: refresh, isOld: true))
        case .refreshFailed: return Self.text(view.detailFailed(refresh, failure(.unreachable)))
        case .refreshUnknownItem: return Self.text(view.detailFailed(refresh, failure(.unknownItem)))
        case .otherLoaded: return Self.text(view.detailCame(.loaded([2]), by: other, isOld: false))
        case .otherFailed: return Self.text(view.detailFailed(other, failure(.unreachable)))
        case .otherCancelled: return Self.text(view.detailCancelled(other))
        case .lost: return Self.text(view.detailLost(Self.detailJob))
        case .otherLost: return Self.text(view.detailLost(Self.otherJob))
        case .itemGone: #expect(view.takeContent(Self.content(2), gone, for: Self.work(.load, itemID: view.state.selection)) == nil)
        case .itemSaved: #expect(view.takeContent(Self.content(2), gone, for: Self.work(.update, itemID: view.state.selection)) == nil)
        case .reset: return Self.text(replaced: view.reset())
        case .contentLost: #expect(view.contentLost() == nil)
        case .damaged: return Self.text(view.detailDamaged(Self.object(3).digest))
        case .otherDamaged: return Self.text(view.detailDamaged(Self.object(9).digest))
        }
        return nil
    }

    @Test("each start with each event about its detail", arguments: DetailStart.allCases)
    func detailRows(start: DetailStart) throws {
        let row = try #require(Self.details[start])
        #expect(row.count == DetailEvent.allCases.count)
        for (event, expected) in zip(DetailEvent.allCases, row) {
            var view = view(start)
            let answered = meet(event, &view)
            let detail =
                switch view.state.detail {
                case .idle: "idle"
                case .loading(let job): "loading \(job)"
                case .loaded: "loaded"
                case .stored: "stored"
                case .failed: "failed"
                }
            let stands = "\(view.state.selection ?? "-") \(detail)\(view.state.failure == nil ? "" : "!")"
            #expect(([stands] + [answered].compactMap { $0 }).joined(separator: ", ") == expected, "\(start) and \(event)")
            // A change of what is selected is another version; what came or failed is not.
            let isOther = view.state.selection != (start == .idle ? nil : "1")
            let isAsked = event == .select || event == .deselect || event == .reset
            let before = start == .idle ? 0 : 1
            let isRaised = isAsked || isOther && event != .itemGone
            #expect(view.state.version == UInt64(before + (isRaised ? 1 : 0)), "\(start) and \(event)")
        }
    }

    @Test("a shown detail follows its content, unless another item has changed or details have an address of their own")
    func followed() {
        for start in DetailStart.allCases {
            let (view, isShown) = (view(start), start != .idle && start != .loading)
            #expect(view.followsContent(changed: nil, isApart: false) == isShown, "\(start)")
            #expect(view.followsContent(changed: "1", isApart: false) == isShown, "\(start)")
            #expect(view.followsContent(changed: "1", isApart: true) == isShown, "\(start)")
            #expect(!view.followsContent(changed: "2", isApart: false))
            #expect(!view.followsContent(changed: nil, isApart: true))
        }
    }

    // MARK: Failures

    private static func failure(_ code: FailureCode) -> Failure { Failure(code: code, text: "no") }

    /// A view whose order could not be made anew.
    private static func unordered() -> ViewMachine {
        var view = plain()
        view.sort(by: title)
        #expect(view.beginSort(by: orderJob) == nil)
        #expect(view.orderFailed(job(orderJob, .sort, requests: []), failure(.loaderFailed)) == .rest)
        #expect(view.standing == .asked && view.state.failure?.code == .loaderFailed)
        return view
    }

    @Test("why an order is missing stays whatever is selected, and no item that was not there takes its place")
    func missingOrder() {
        var view = Self.unordered()
        #expect(view.select("1") == nil)
        view.awaitDetail(by: Self.detailJob)
        #expect(view.detailFailed(Self.job(Self.detailJob, .detail), Self.failure(.unknownItem)) == .loadDetail(isShown: true))
        #expect(view.state.selection == nil && view.state.failure?.code == .loaderFailed)
        #expect(view.select("2") == nil)
        #expect(view.state.failure?.code == .loaderFailed)
        view.sort(by: nil)
        #expect(view.standing == .shown && view.state.failure == nil)
    }

    @Test("why an order is missing goes when it is made once more; that another request was put back stays")
    func orderMadeAgain() {
        var view = Self.unordered()
        #expect(view.objectDamaged(Self.object(1).digest, of: Self.content(2), for: []) == .sort([]))
        #expect(view.state.failure == nil)
        // Of another content than there is: what its pages are read by was made of the one before.
        view = Self.plain()
        view.followContent(Self.content(2))
        #expect(view.beginSort(by: Self.orderJob) == nil)
        #expect(view.orderFailed(Self.job(Self.orderJob, .sort, requests: []), Self.failure(.loaderFailed)) == .rest)
        #expect(view.state.failure != nil)
        #expect(view.objectDamaged(Self.object(9).digest, of: Self.content(2), for: []) == .sort([]))
        #expect(view.state.failure == nil)
        view = Self.plain()
        view.sort(by: Self.title)
        #expect(view.beginSort(by: Self.orderJob) == nil)
        #expect(view.orderFailed(Self.job(Self.orderJob, .sort), Self.failure(.loaderFailed)) == .rest)
        #expect(view.objectDamaged(Self.object(1).digest, of: Self.content(1), for: []) == .rest)
        #expect(view.state.failure?.code == .loaderFailed)
    }

    // MARK: Use

    enum UseStart: CaseIterable { case attached, kept, workedFor, unused }
    enum UseEvent: CaseIterable { case attach, detach, named, timePasses, jobEnds }

    /// What becomes of each start by each event, in the order of `UseEvent`; in seconds.
    static let uses: [UseStart: [String]] = [
        .attached: ["attached", "kept until 10", "attached", "attached", "attached"],
        .kept: ["attached", "kept until 10", "kept until 15", "unused", "kept until 10"],
        .workedFor: ["attached", "workedFor", "kept until 30", "workedFor", "unused"],
        .unused: ["attached", "unused", "kept until 30", "unused", "unused"],
    ]

    private static func second(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

    @Test("each use with each event", arguments: UseStart.allCases)
    func useRows(start: UseStart) throws {
        let row = try #require(Self.uses[start])
        #expect(row.count == UseEvent.allCases.count)
        for (event, expected) in zip(UseEvent.allCases, row) {
            var (view, now) = (Self.plain(), Self.second(start == .workedFor || start == .unused ? 20 : 5))
            view.noteUse(at: Self.second(0))
            if start == .attached { view.attach() }
            if start == .workedFor { #expect(view.beginSort(by: Self.orderJob) == nil) }
            switch event {
            case .attach: view.attach()
            case .detach: #expect(view.detach() == (start == .attached))
            case .named: view.noteUse(at: now)
            case .timePasses: now = now.advanced(by: .seconds(20))
            case .jobEnds: _ = view.orderFailed(Self.job(Self.orderJob, .sort), nil)
            }
            let use =
                switch view.use(at: now, keptFor: .seconds(10)) {
                case .attached: "attached"
                case .kept(let until): "kept until \(until.nanoseconds / 1_000_000_000)"
                case .workedFor: "workedFor"
                case .unused: "unused"
                }
            #expect(use == expected, "\(start) and \(event)")
        }
    }
}
