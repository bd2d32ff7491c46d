//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import GantryModel
import GantryWireMessages

extension WireClientEnvelope: Mapped {
    init(_ value: ClientEnvelope) {
        self.init()
        session = value.session.rawValue
        messages = value.messages.map(WireClientMessage.init)
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientEnvelope {
        ClientEnvelope(session: SessionID(session), messages: try bounds.values(messages, "a client's messages"))
    }
}

extension WireClientMessage: Mapped {
    init(_ value: ClientMessage) {
        self.init()
        switch value {
        case .hello(let hello): self.hello = WireHello(hello)
        case .heartbeat(let lowest): heartbeat.lowestUnanswered = lowest.rawValue
        case .close: close = WireNothing()
        case .request(let request): self.request = WireRequest(request)
        case .submit(let submit): self.submit = WireSubmit(submit)
        case .snapshot(let topic, let asked): snapshot.topic = asked ?? topic.description
        case .snapshotPartRead(let topic): snapshotPartRead.topic = topic.description
        case .unknown, .unreadable: kind = nil
        }
    }

    /// What the message says. One that breaks a rule spoils nothing beside it: a request keeps its number, so that its reply refuses it.
    func value(within bounds: Bounds) -> ClientMessage {
        do {
            switch kind {
            case .hello(let hello): return .hello(try hello.value(within: bounds))
            case .heartbeat(let heartbeat): return .heartbeat(lowestUnanswered: RequestNumber(heartbeat.lowestUnanswered))
            case .close: return .close
            case .request(let request): return .request(request.value(within: bounds))
            case .submit(let submit): return submit.message(within: bounds)
            case .snapshot(let name):
                let topic = try bounds.topic(name.topic)
                return .snapshot(topic: topic, asked: topic.description == name.topic ? nil : name.topic)
            case .snapshotPartRead(let name): return .snapshotPartRead(topic: try bounds.topic(name.topic))
            case nil: return .unknown
            }
        } catch {
            return .unreadable(error)
        }
    }
}

extension WireHello: Mapped {
    init(_ value: ClientMessage.Hello) {
        self.init()
        minimumVersion = value.minimumVersion
        maximumVersion = value.maximumVersion
        largestFrame = value.largestFrame
        label = value.label
        if let session = value.resumed { resumed = session.rawValue }
        nonce = value.nonce
        token = Data(value.token)
        client = value.client
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientMessage.Hello {
        var hello = ClientMessage.Hello(
            label: try bounds.label(label, "a client's label"),
            resumed: hasResumed ? SessionID(resumed) : nil)
        hello.minimumVersion = minimumVersion
        hello.maximumVersion = maximumVersion
        hello.largestFrame = largestFrame
        hello.nonce = nonce
        hello.token = try bounds.secret(token, "a token")
        hello.client = try bounds.label(client, "a client's name")
        guard !client.hasControlCharacters else { throw CodecError(what: "a client's name", reason: "it has control characters") }
        return hello
    }
}

extension WireSubmit {
    /// The submit, or the request under its number that the front refuses.
    fileprivate func message(within bounds: Bounds) -> ClientMessage {
        do {
            return .submit(try value(within: bounds))
        } catch {
            return .request(
                ClientMessage.Request(
                    number: RequestNumber(number), lowestUnanswered: RequestNumber(lowestUnanswered), body: .unreadable(error)))
        }
    }
}

extension WireSubmit: JobColumns, Mapped {
    init(_ value: ClientMessage.Submit) {
        self.init()
        number = value.number.rawValue
        lowestUnanswered = value.lowestUnanswered.rawValue
        loader = value.loader
        (reportsOutcomes, anyLoader, again) = (value.reportsOutcomes, value.takesAnyLoader, value.repeatsAgain)
        write(value.arguments, value.options)
    }

    func value(within bounds: Bounds) throws(CodecError) -> ClientMessage.Submit {
        let columns = try columns(within: bounds)
        var submit = ClientMessage.Submit(
            number: RequestNumber(number), lowestUnanswered: RequestNumber(lowestUnanswered),
            loader: try bounds.text(loader, "a loader's name"), options: columns.options, reportsOutcomes: reportsOutcomes,
            arguments: columns.arguments)
        (submit.takesAnyLoader, submit.repeatsAgain) = (anyLoader, again)
        return submit
    }
}

extension WireRequest: Mapped {
    init(_ value: ClientMessage.Request) {
        self.init()
        number = value.number.rawValue
        lowestUnanswered = value.lowestUnanswered.rawValue
        switch value.body {
        case .feed(let key, let request): write(request, of: key)
        case .job(let request): write(request)
        case .listFeeds(let after):
            listFeeds = WireFeedQuery()
            if let after { listFeeds.after = after.text }
        case .drainWorker(let worker): drainWorker.worker = worker.rawValue
        case .limit(let request): write(request)
        case .pause(.begin(let target, let reason, let length)):
            pause = WirePauseRequest(target, reason: reason, length: length)
        case .pause(.end(let target)): resume = WireResumeRequest(target)
        case .unknown, .unreadable: body = nil
        }
    }

    func value(within bounds: Bounds) -> ClientMessage.Request {
        var request = ClientMessage.Request(
            number: RequestNumber(number), lowestUnanswered: RequestNumber(lowestUnanswered), body: .unknown)
        do {
            request.body = try requestBody(within: bounds)
        } catch {
            request.body = .unreadable(error)
        }
        return request
    }

    private func requestBody(within bounds: Bounds) throws(CodecError) -> RequestBody {
        switch body {
        case .load(let target): .feed(try bounds.feed(target.feed), .load)
        case .refresh(let target): .feed(try bounds.feed(target.feed), .refresh)
        case .retry(let retry):
            .feed(try bounds.feed(retry.feed), .retry(view: try bounds.view(retry.view), failure: FailureID(retry.failure)))
        case .reset(let reset):
            .feed(try bounds.feed(reset.feed), .reset(version: reset.hasVersion ? ContentVersion(reset.version) : nil))
        case .cancel(let target): .job(.cancel(JobID(target.job)))
        case .reprioritize(let target):
            // What is beyond a byte is no priority either: the front says so, as of every option.
            .job(.reprioritize(JobID(target.job), priority: UInt8(exactly: target.priority) ?? .max))
        case .promote(let target): .job(.promote(JobID(target.job)))
        case .forgive(let target): .job(.forgive(JobID(target.job)))
        case .bulk(let bulk): .job(.bulk(try bulk.value(within: bounds)))
        case .delay(let target): .job(try target.value())
        case .cancelLoad(let target):
            .feed(try bounds.feed(target.feed), .cancelLoad(only: target.hasOnlyJob ? JobID(target.onlyJob) : nil))
        case .create(let create): .feed(try bounds.feed(create.feed), .create(item: try bounds.payload(create.item, "an item")))
        case .update(let update):
            .feed(
                try bounds.feed(update.feed),
                .update(itemID: try bounds.itemID(update.itemID), item: try bounds.payload(update.item, "an item")))
        case .sort(let sort): .feed(try bounds.feed(sort.feed), try sort.value(within: bounds))
        case .filter(let filter): .feed(try bounds.feed(filter.feed), try filter.value(within: bounds))
        case .select(let select): .feed(try bounds.feed(select.feed), try select.value(within: bounds))
        case .attach(let target): .feed(try bounds.feed(target.feed), .attach(view: try bounds.view(target.view)))
        case .detach(let target): .feed(try bounds.feed(target.feed), .detach(view: try bounds.view(target.view)))
        case .listJobs(let query): .job(.list(try query.value(within: bounds)))
        case .explain(let target): .job(.explain(JobID(target.job)))
        case .outcomes(let ids): .job(.outcomes(try ids.value(within: bounds).map(JobID.init(_:))))
        case .listFeeds(let query): .listFeeds(after: query.after.isEmpty ? nil : try bounds.feed(query.after))
        case .drainWorker(let target): .drainWorker(WorkerID(target.worker))
        case .setLimit(let set): .limit(.set(try bounds.text(set.limit, "a limit's name"), set.rule.value))
        case .deleteLimit(let target): .limit(.delete(try bounds.text(target.limit, "a limit's name")))
        case .pause(let pause): .pause(try pause.value(within: bounds))
        case .resume(let resume): .pause(.end(try resume.value(within: bounds)))
        case nil: .unknown
        }
    }

    private mutating func write(_ request: FeedRequest, of feed: FeedKey) {
        let key = feed.text
        switch request {
        case .load: load.feed = key
        case .refresh: refresh.feed = key
        case .retry(let view, let failure): (retry.feed, retry.view, retry.failure) = (key, view, failure.rawValue)
        case .reset(let version):
            reset.feed = key
            if let version { reset.version = version.rawValue }
        case .create(let item): (create.feed, create.item) = (key, Data(item))
        case .update(let itemID, let item): (update.feed, update.itemID, update.item) = (key, itemID, Data(item))
        case .sort(let view, let order, let version):
            (sort.feed, sort.view) = (key, view)
            if let order { sort.order = WireSortOrder(order) }
            if let version { sort.version = version }
        case .filter(let view, let text, let version):
            (filter.feed, filter.view, filter.text) = (key, view, text)
            if let version { filter.version = version }
        case .select(let view, let itemID, let version):
            (select.feed, select.view) = (key, view)
            if let itemID { select.itemID = itemID }
            if let version { select.version = version }
        case .attach(let view): (attach.feed, attach.view) = (key, view)
        case .detach(let view): (detach.feed, detach.view) = (key, view)
        case .cancelLoad(let job):
            cancelLoad.feed = key
            if let job { cancelLoad.onlyJob = job.rawValue }
        }
    }

    private mutating func write(_ request: JobRequest) {
        switch request {
        case .cancel(let job): cancel.job = job.rawValue
        case .reprioritize(let job, let priority): (reprioritize.job, reprioritize.priority) = (job.rawValue, UInt32(priority))
        case .promote(let job): promote.job = job.rawValue
        case .forgive(let job): forgive.job = job.rawValue
        case .bulk(let request): bulk = WireBulkRequest(request)
        case .delay(let job, let start): delay = WireDelayRequest(job, start)
        case .list(let query): listJobs = WireJobQuery(query)
        case .explain(let job): explain.job = job.rawValue
        case .outcomes(let jobs): outcomes = WireJobIDs(jobs.map(\.rawValue))
        }
    }
}

extension WireRequest {
    private mutating func write(_ request: LimitRequest) {
        switch request {
        case .set(let name, let rule): (setLimit.limit, setLimit.rule) = (name, WireLimitRule(rule))
        case .delete(let name): deleteLimit.limit = name
        }
    }
}

extension WireSortRequest {
    fileprivate func value(within bounds: Bounds) throws(CodecError) -> FeedRequest {
        .sort(
            view: try bounds.view(view), order: hasOrder ? try order.value(within: bounds) : nil, version: hasVersion ? version : nil)
    }
}

extension WireFilterRequest {
    fileprivate func value(within bounds: Bounds) throws(CodecError) -> FeedRequest {
        .filter(view: try bounds.view(view), text: try bounds.text(text, "a filter"), version: hasVersion ? version : nil)
    }
}

extension WireSelectRequest {
    fileprivate func value(within bounds: Bounds) throws(CodecError) -> FeedRequest {
        .select(
            view: try bounds.view(view), itemID: hasItemID ? try bounds.itemID(itemID) : nil, version: hasVersion ? version : nil)
    }
}

extension Bounds {
    fileprivate func view(_ name: String) throws(CodecError) -> String { try text(name, "a view's name") }
}

extension WireJobQuery: Mapped {
    init(_ value: JobQuery) {
        self.init()
        if let known = value.state { state = WireJobState(known) }
        orStates = value.orStates.map { WireJobState($0) }
        (loader, feed, code) = (value.loader, value.feed, value.code?.rawValue ?? "")
        tags = value.tags
        if let time = value.changedBefore { changedBefore = time.milliseconds }
        limit = value.limit
        if let job = value.before { before = job.rawValue }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobQuery {
        var query = JobQuery(
            state: hasState ? try bounds.known(state, "a job's state") : nil, loader: try bounds.text(loader, "a loader's name"),
            feed: try bounds.text(feed, "a feed's name or key"),
            code: code.isEmpty ? nil : FailureCode(rawValue: try bounds.text(code, "a failure's code")), tags: tags,
            changedBefore: hasChangedBefore ? WallTime(milliseconds: changedBefore) : nil, limit: limit,
            before: hasBefore ? JobID(before) : nil)
        // Of more one is named twice, and what is decoded of a frame has a bound.
        guard orStates.count < JobState.allCases.count else {
            throw CodecError(what: "a query", reason: "it names \(orStates.count) further states, and there are \(JobState.allCases.count)")
        }
        for state in orStates { query.orStates.append(try bounds.known(state, "a job's state")) }
        return query
    }
}

extension WireJobIDs: Mapped {
    init(_ value: [UInt64]) {
        self.init()
        jobs = value
    }

    func value(within bounds: Bounds) throws(CodecError) -> [UInt64] {
        try bounds.rows(jobs.count, "jobs")
        return jobs
    }
}
