//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import TestSupport
import Testing

@testable import GantryClient
@testable import StateFormatting

@Suite("The one JSON shape")
struct StateJSONTests {
    let schemas = SchemaFolder()
    let time = WallTime(milliseconds: 1_795_256_100_125)
    let key = FeedKey.named("products?category=men%27s")

    var object: ObjectReference { ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 2_048, itemCount: 6) }
    var failure: Failure {
        Failure(id: FailureID(7), code: .httpStatus, text: "answered 503", arguments: ["status", "503"], retryable: true, attempts: 2)
    }
    var feed: FeedState {
        var feed = FeedState(key: key)
        feed.content = FeedContent(object: object, version: ContentVersion(8), source: .network, storedAt: time)
        feed.activity = .loading(JobID(9), cause: .asked, attempt: 1)
        feed.failure = failure
        return feed
    }
    var plainPair: ViewRevision {
        ViewRevision(
            content: object, order: object, version: ContentVersion(8), sort: SortOrder(field: "price", ascending: false), filter: "")
    }
    var view: ViewState {
        var view = ViewState(name: "shared")
        view.sort = SortOrder(field: "price", ascending: false)
        view.revision = plainPair
        view.selection = "3"
        view.detail = .loaded(Array("{ \"id\": \"3\",\n \"text\": \"a  b\" }".utf8))
        return view
    }
    var job: JobSummary {
        var job = JobSummary(id: JobID(42), loader: "http", state: .cancelled, acceptedAt: time)
        (job.feed, job.operation, job.failure, job.result) = (key, .load, failure, [1, 255])
        job.cancel = CancelReceipt(requestedBy: "cli", requestedAt: time)
        job.cancel?.stoppedAt = time.advanced(by: .milliseconds(1_500))
        job.waitReason = .keyTaken(by: JobID(41))
        job.options.tags = ["nightly", "tenant-7"]
        return job
    }
    let progress = JobProgress(percent: 40, completed: 4, total: 10, unit: "items", message: "reading")

    private func check(_ value: JSONValue, _ name: String, _ place: SourceLocation = #_sourceLocation) throws {
        #expect(try schemas.faults(of: value.text, by: name) == [], sourceLocation: place)
        #expect(!value.text.contains("\n"), sourceLocation: place)
    }

    @Test("of a job that cannot be read neither a loader nor a time is made up")
    func unreadableJob() throws {
        var unreadable = JobSummary(id: JobID(42), loader: "", state: .succeeded, acceptedAt: nil)
        unreadable.failure = failure
        try check(unreadable.json(), "job")
        #expect(!unreadable.json().text.contains("loader") && !unreadable.json().text.contains("acceptedAt"))
        #expect(unreadable.line().hasPrefix("job succeeded"))
    }

    @Test(
        "an estimate has whole seconds, at least one",
        arguments: [(0, "about 1 s"), (0.2, "about 1 s"), (4.24, "about 5 s"), (1e18, "about 9223372037 s")])
    func estimates(seconds: Double, text: String) {
        #expect(JobSummary.roughly(Duration(clampingSeconds: seconds)) == text)
    }

    @Test("an argument and a result are text where they are that, and Base64 elsewhere; lists have no arguments")
    func payloads() throws {
        var explanation = JobExplanation(job: job)
        #expect(explanation.byteLines == [#"  result, escaped: "\u{1}\xff""#])
        #expect(explanation.job.lineWithResult == explanation.job.line() + "\n" + #"  result, escaped: "\u{1}\xff""#)
        #expect(explanation.jobJSON.text.contains(#""argumentBytes":0,"resultBase64":"Af8=","resultBytes":2"#))
        #expect(!explanation.job.json().text.contains(#""argumentBytes""#))
        (explanation.argument, explanation.argumentByteCount, explanation.job.result) = (Array("a b".utf8), 3, Array("é".utf8))
        #expect(explanation.byteLines == ["  argument: a b", "  result: é"])
        #expect(explanation.job.lineWithResult == explanation.job.line() + "\n  result: é")
        let failure = try #require(explanation.job.failureLine)
        #expect(explanation.job.lineWithoutFailure == explanation.job.lineWithResult.replacing("; \(failure)", with: ""))
        #expect(explanation.jobJSON.text.contains(#""argument":"a b","argumentBytes":3,"result":"é","resultBytes":2"#))
        #expect(explanation.json.text.contains(#""argument":"a b","argumentBytes":3"#))
        (explanation.argument, explanation.argumentByteCount) = ([255], 1)
        #expect(explanation.jobJSON.text.contains(#""argumentBase64":"/w==","argumentBytes":1"#))
        try check(explanation.jobJSON, "job")
        (explanation.argument, explanation.argumentByteCount) = ([], 65_536)
        #expect(explanation.byteLines.first == "  argument: 65536 bytes, too many to be sent with the rest")
        #expect(explanation.jobJSON.text.contains(#""failure":"#) && !explanation.jobJSON.text.contains(#""argument":"#))
        #expect(explanation.jobJSON.text.contains(#""argumentBytes":65536"#))
    }

    @Test("every shape fits its schema, full and empty")
    func shapes() throws {
        try check(feed.json(progress: progress), "feed")
        try check(FeedState(key: key).json(), "feed")
        try check(view.json(), "view")
        try check(ViewState(name: "mine").json(job: JobID(4)), "view")
        for detail in [Detail.idle, .loading(JobID(1)), .stored(object), .failed(failure)] {
            var other = view
            other.detail = detail
            try check(other.json(), "view")
        }
        try check(job.json(progress: progress), "job")
        try check(JobExplanation(job: job, placeInLine: 3, estimate: .milliseconds(1_500), timeline: ["accepted"]).json, "explanation")
        var explanation = JobExplanation(job: job)
        (explanation.argument, explanation.argumentByteCount) = (Array("sample".utf8), 6)
        try check(explanation.json, "explanation")
        try check(explanation.jobJSON, "job")
        try check(JobCounts().json, "counts")
        var counts = JobCounts()
        counts.failures = [FailureCount(.timedOut, 1)]
        try check(counts.json, "counts")
        try check(WorkerSummary(id: WorkerID(5), name: "w1", slots: 4).json, "worker")
        let front = FrontSummary(front: FrontID(1), epoch: Epoch(2), startedAt: time, version: "1", durability: .full)
        try check(front.json, "front")
        try check(StorageSummary().json, "storage")
        try check(storage.json, "storage")
        try check(.feeds([feed]), "feeds")
        try check(.jobs([job], next: "2", counts: counts), "jobs")
        try check(.workers([]), "workers")
        var shown = ShownFeed(feed)
        (shown.view, shown.job, shown.joined, shown.item) = (view, JobID(9), true, "local-9")
        try check(shown.json, "feed")
        let page = FeedPage(feed: feed.key, items: [Array("{}".utf8)], offset: 0, itemCount: 2, revision: plainPair, view: view)
        try check(page.json, "page")
        let reasons: [WaitReason] = [
            .noWorker(loader: "http"), .slotsTaken, .keyTaken(by: JobID(1)), .cancelledRunStopping(JobID(1)), .suspected,
            .restarting(until: time), .delayed(until: time), .backedOff(until: time), .snoozed(until: time), .storageFull,
            .slotsReserved(for: JobID(1)), .workersNotReady,
        ]
        for reason in reasons { try check(reason.json, "waitReason") }
    }

    @Test("the counts of jobs are the same in JSON and in a line, each under its name")
    func counts() {
        var counts = JobCounts()
        (counts.waiting, counts.running, counts.cancelling, counts.succeeded) = (1, 2, 3, 4)
        (counts.failed, counts.cancelled, counts.quarantined, counts.oldestWaiting) = (0, 6, 7, time)
        (counts.requeuedTotal, counts.retriedTotal, counts.scheduled) = (8, 11, 9)
        (counts.expired, counts.snoozedTotal) = (12, 13)
        (counts.unoffered, counts.unofferedOthers) = ([LoaderCount("a", 9)], 10)
        #expect(
            counts.json.text
                == #"{"waiting":1,"scheduled":9,"running":2,"cancelling":3,"succeeded":4,"failed":0,"cancelled":6,"#
                + #""expired":12,"quarantined":7,"requeuedTotal":8,"retriedTotal":11,"snoozedTotal":13,"oldestWaitingAt":"2026-11-21T10:15:00.125Z","failures":[],"#
                + #""unoffered":[{"loader":"a","count":9}],"unofferedOthers":10}"#)
        #expect(
            counts.line
                == "1 waiting, 9 scheduled, 2 running, 3 cancelling, 4 succeeded, 0 failed, 6 cancelled, 12 expired, 7 quarantined, "
                + "8 requeued, 11 retried, 13 snoozed"
        )
        #expect(
            counts.shortLine
                == "1 waiting, 9 scheduled, 2 running, 3 cancelling, 4 succeeded, 6 cancelled, 12 expired, 7 quarantined, 8 requeued, "
                + "11 retried, 13 snoozed")
    }

    private var storage: StorageSummary {
        var storage = StorageSummary()
        (storage.journalByteCount, storage.cacheByteCount, storage.ballastByteCount, storage.lastCheckpoint) = (1, 4_096, 0, time)
        return storage
    }

    @Test("what is stored is told with what is not known, and is the state of its topic")
    func stored() {
        var state = TopicState(topic: .storage)
        #expect(state.stateJSON == nil && state.stateLine.isEmpty && state.storage == nil)
        state.items = ["storage": .storage(StorageSummary())]
        #expect(state.stateJSON?.text == "{}")
        #expect(state.stateLine == "journal not known, cache not known, ballast not known, last checkpoint none since the start")
        state.items = ["storage": .storage(storage)]
        #expect(state.stateJSON == storage.json && state.storage == storage)
        #expect(
            storage.json.text == #"{"journalByteCount":1,"cacheByteCount":4096,"ballastByteCount":0,"lastCheckpoint":"\#(time.rfc3339)"}"#)
        #expect(state.stateLine == "journal 1 byte, cache 4096 bytes, ballast 0 bytes, last checkpoint \(time.rfc3339)")
    }

    @Test("a job's limits are a list of names and values, and the limit that it waits for says what is in use")
    func limits() throws {
        var limited = job
        limited.options.limitKeys = [LimitKey("api"), LimitKey("tenant", value: "acme")]
        #expect(limited.json().text.contains(#""limits":[{"limit":"api"},{"limit":"tenant","value":"acme"}]"#))
        #expect(!job.json().text.contains("limits"))
        let reason = WaitReason.limitFull(LimitKey("tenant", value: "acme"), .permits(inUse: 7, capacity: 5))
        #expect(reason.json.text == #"{"reason":"limitFull","limit":{"limit":"tenant","value":"acme"},"inUse":7,"capacity":5}"#)
        #expect(reason.line == "the limit tenant=acme has no room: 7 of 5 are taken")
        let token = WaitReason.limitFull(LimitKey("api"), .tokens(next: time))
        #expect(token.json.text == #"{"reason":"limitFull","limit":{"limit":"api"},"nextToken":"\#(time.rfc3339)"}"#)
        #expect(token.line == "the limit api has no token: the next one comes at \(time.rfc3339)")
    }

    @Test("a limit with a rate says it, how many tokens are left, and when the next one comes")
    func rate() {
        var limit = LimitSummary(name: "api", rule: LimitRule(refill: LimitRefill(10, per: .seconds(60), burst: 3)))
        #expect(limit.text(at: time) == "api: 10/m with a burst of 3, 3 tokens, 0 jobs wait")
        limit.values = [LimitValue("", inUse: 2, waiting: 4, fullAt: time.advanced(by: .seconds(9)))]
        (limit.inUse, limit.waiting, limit.valueCount) = (2, 4, 1)
        #expect(limit.text(at: time) == "api: 10/m with a burst of 3, 1 token, 4 jobs wait")
        limit.values[0].fullAt = time.advanced(by: .seconds(15))
        let next = time.advanced(by: .seconds(3)).rfc3339
        #expect(limit.text(at: time) == "api: 10/m with a burst of 3, no token before \(next), 4 jobs wait")
        let json = limit.json(at: time).text
        #expect(
            json.contains(#""refill":{"rate":"10/m","count":10,"periodSeconds":60,"burst":3,"beyond":"wait"}"#)
                && !json.contains("capacity"), "\(json)")
        #expect(json.contains(#""tokens":0,"nextToken":"\#(next)""#), "\(json)")
        limit.rule.capacity = 5
        #expect(limit.text(at: time).hasPrefix("api: 2 of 5 in use, 10/m with a burst of 3, no token"))
        var state = TopicState(topic: .limits)
        state.items = ["limit/api": .limit(limit)]
        #expect(state.stateLine == "api 2 of 5 in use, 10/m with a burst of 3, 4 jobs wait")
        #expect(state.stateJSON?.text.contains("tokens") == false && state.json(at: time).text.contains(#""tokens":0"#))
    }

    @Test("a pause says by whom, why and until when, in the reason of a wait, on its topic and at its loader")
    func pause() {
        let pause = Pause(.loader("slow"), by: "ops", reason: "the API is down", since: time, until: time)
        let json =
            #"{"loader":"slow","by":"ops","reason":"the API is down","since":"2026-11-21T10:15:00.125Z","until":"2026-11-21T10:15:00.125Z"}"#
        #expect(pause.json.text == json)
        let reason = WaitReason.paused(pause)
        #expect(reason.json.text == #"{"reason":"paused","until":"2026-11-21T10:15:00.125Z","pause":\#(json)}"#)
        #expect(reason.line == "the loader slow is paused by ops until 2026-11-21T10:15:00.125Z: the API is down")
        let worker = Pause(.worker("w1"), by: "ops", reason: "", since: time)
        #expect(WaitReason.paused(worker).line == "no worker that offers its loader takes jobs; the worker w1 is paused by ops")
        var state = TopicState(topic: .pauses)
        #expect(state.stateLine == "nothing is paused")
        state.items = ["pause/": .pause(Pause(.everything, by: "", reason: "", since: time)), "pause/slow": .pause(pause)]
        #expect(state.stateLine == "all loaders are paused, \(reason.line)")
        #expect(state.stateJSON?.text.hasPrefix(#"{"items":[{"since":"#) == true, "\(state.stateJSON?.text ?? "")")
        var offering = WorkerSummary(id: WorkerID(5), name: "w", slots: 4)
        offering.loaders = ["slow", "fast"]
        let shown = ShownLoader.all(offeredBy: [offering], paused: [pause], waiting: nil)
        #expect(shown.map(\.name) == ["fast", "slow"] && shown.map(\.state) == [.offered, .paused])
        #expect(shown[1].text == "slow: 1 worker with 4 slots; \(reason.line)")
        let group = Pause(
            .group("shop"), by: "ops", reason: "", since: time, members: GroupMembers(loaders: ["slow", "idle"], feeds: ["todos"]))
        let members = #""group":"shop","loaders":["idle","slow"],"feeds":["todos"]"#
        #expect(group.json.text == #"{\#(members),"by":"ops","since":"2026-11-21T10:15:00.125Z"}"#)
        let grouped = ShownLoader.all(offeredBy: [offering], paused: [group], waiting: nil)
        #expect(grouped.map(\.state) == [.offered, .paused, .paused] && grouped[2].text.hasSuffix("the group shop is paused by ops"))
        let all = ShownLoader.all(offeredBy: [], paused: [Pause(.everything, by: "", reason: "", since: time), pause], waiting: nil)
        #expect(
            all.map(\.name) == ["slow"] && all[0].pause?.target == .everything
                && all[0].text == "slow: no worker offers it; all loaders are paused")
    }

    @Test("who is connected is told by label, those with most sessions first")
    func clients() {
        var state = TopicState(topic: .clients)
        state.items = ["clients": .clients(ClientsSummary([]))]
        #expect(state.stateLine == "nobody is connected")
        state.items = ["clients": .clients(ClientsSummary([ClientCount("web", 2), ClientCount("", 1)], otherSessions: 7))]
        #expect(state.stateLine == "web 2 sessions, without a label 1 session, 7 sessions of others")
        let json = #"{"clients":[{"label":"web","sessions":2},{"label":"","sessions":1}],"otherSessions":7}"#
        #expect(state.stateJSON?.text == json)
    }

    @Test("a job's unique key is shown with its mode, and how long it stays taken where it does")
    func uniqueKeys() {
        var unique = job
        unique.options.uniqueKey = UniqueKey("nightly")
        #expect(unique.json().text.contains(#""unique":{"key":"nightly","mode":"untilEnded"}"#))
        unique.options.uniqueKey = UniqueKey("nightly", mode: .replace, afterEnd: .seconds(600))
        #expect(unique.json().text.contains(#""unique":{"key":"nightly","mode":"replace","afterEndSeconds":600}"#))
        unique.options.uniqueKey = UniqueKey("typed", debounce: Debounce(quiet: .seconds(5), longest: .seconds(60)))
        #expect(unique.json().text.contains(#""unique":{"key":"typed","mode":"debounce","quietSeconds":5,"longestSeconds":60}"#))
        #expect(!job.json().text.contains("unique"))
    }

    @Test("a limit says what is in use, and its values where it has some")
    func limit() {
        var limit = LimitSummary(name: "api", rule: LimitRule(capacity: 5))
        (limit.inUse, limit.waiting, limit.valueCount, limit.values) = (7, 1, 1, [LimitValue("", inUse: 7, waiting: 1)])
        #expect(limit.text(at: time) == "api: 7 of 5 in use, 1 job waits")
        (limit.valueCount, limit.values) = (40, [LimitValue("acme", inUse: 5, waiting: 1), LimitValue("", inUse: 2, waiting: 0)])
        let lines = limit.text(at: time).split(separator: "\n")
        #expect(lines.first == "api: 7 in use, 40 values of 5 each, 1 job waits" && lines.count == 4)
        #expect(lines.last == "  and 38 values more" && lines[2] == "  (no value): 2 of 5, 0 jobs wait")
        var state = TopicState(topic: .limits)
        #expect(state.stateLine == "no limits")
        state.items = ["limit/api": .limit(limit)]
        #expect(state.stateLine == "api 7 in use, 40 values of 5 each, 1 job waits")
        let json = #""name":"api","capacity":5,"origin":"command","inUse":7,"waiting":1,"valueCount":40,"values":[{"#
        #expect(state.stateJSON?.text.contains(json) == true)
        state.items["limit/mail"] = .limit(LimitSummary(name: "mail", rule: LimitRule(refill: LimitRefill(10, per: .seconds(1)))))
        #expect(state.stateLine == "api 7 in use, 40 values of 5 each, 1 job waits; mail 10/s, 0 jobs wait")
    }

    @Test("a job's tags are a list, and left out where there are none")
    func tags() {
        #expect(job.json().text.contains(#""priority":5,"tags":["nightly","tenant-7"],"#))
        #expect(job.line().contains("; tags nightly, tenant-7;"))
        let other = JobSummary(id: JobID(42), loader: "noop", state: .running, acceptedAt: time)
        #expect(!other.json().text.contains("tags") && other.line() == "noop running")
    }

    @Test("a run has its length beside its times, and one that its worker stopped is not cancelled")
    func run() throws {
        let run = JobRun(
            attempt: 1, worker: "w", startedAt: WallTime(milliseconds: 1_000), endedAt: WallTime(milliseconds: 3_250), end: .stopped)
        let json = JobRun.shape.json(run)
        try check(json, "run")
        #expect(json.text.hasSuffix(#""endedAt":"1970-01-01T00:00:03.250Z","ranSeconds":2.25,"end":"stopped"}"#), "\(json.text)")
    }

    @Test("the lines of watch fit their schema and carry the state of their topic")
    func changes() throws {
        let items: [(Topic, String, ItemValue, String)] = [
            (.feed(key), "feed", .feed(feed), "feed"), (.view(key, "shared"), "view", .view(view), "view"),
            (.job(JobID(42)), "job", .job(job), "job"), (.jobs, "job/42", .job(job), "jobs"),
            (.workers, "worker/5", .worker(WorkerSummary(id: WorkerID(5), name: "w1", slots: 4)), "workers"),
        ]
        for (topic, key, value, name) in items {
            var state = TopicState(topic: topic)
            state.items = [key: value]
            try check(state.json(at: time), "change")
            try check(#require(state.stateJSON), name)
        }
    }

    @Test("a schema refuses what does not belong there")
    func refusals() throws {
        #expect(try schemas.faults(of: #"{"waiting":1}"#, by: "counts").count == 14)
        #expect(try schemas.faults(of: #"{"field":"a","ascending":true,"x":1}"#, by: "sort") == ["$ has an unknown x"])
        #expect(try schemas.faults(of: #"{"field":"a","ascending":"true"}"#, by: "sort") == ["$.ascending is no boolean"])
    }

    @Test("times are RFC 3339 in UTC with milliseconds, also before 1970 and on leap days")
    func times() {
        #expect(time.rfc3339 == "2026-11-21T10:15:00.125Z")
        #expect(WallTime(milliseconds: 0).rfc3339 == "1970-01-01T00:00:00.000Z")
        #expect(WallTime(milliseconds: -1).rfc3339 == "1969-12-31T23:59:59.999Z")
        #expect(WallTime(milliseconds: 1_709_164_800_000).rfc3339 == "2024-02-29T00:00:00.000Z")
    }

    @Test("strings are escaped, numbers written plainly, embedded JSON brought onto one line")
    func texts() {
        #expect(JSONValue.string("a\"\\\n\u{1}").text == #""a\"\\\n\u0001""#)
        #expect(JSONValue.array([.number(1.5), .number(2), .number(.nan), .count(.max)]).text == "[1.5,2,null,18446744073709551615]")
        #expect(JSONValue.embedded(Array("{\n \"a b\": [1, 2]}".utf8)).text == #"{"a b":[1,2]}"#)
        #expect(JSONValue.embedded(Array("{ \"a\": ".utf8)).text == #""{ \"a\": ""#)
    }

    @Test("beside a failure the content says when it came, and at a terminal the failure is only named")
    func lines() {
        var feed = self.feed
        #expect(
            feed.line() == "failed: httpStatus: answered 503; 6 items (network, of 2026-11-21 10:15); loading (job 9)")
        #expect(feed.shortLine() == "failed: httpStatus; 6 items (network, of 2026-11-21 10:15); loading (job 9)")
        feed.content?.source = .manual
        feed.failure = nil
        #expect(feed.line() == "6 items (edited locally); loading (job 9)" && feed.shortLine() == feed.line())
    }
}
