//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FoundationEssentials
import Model
import WireMessages

extension WireRequest: Mapped {
    init(_ value: ClientMessage.Request) {
        self.init()
        number = value.number.rawValue
        lowestUnanswered = value.lowestUnanswered.rawValue
        if !write(feedRequest: value.body) { write(otherRequest: value.body) }
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
        case .load(let target): .load(try bounds.feed(target.feed))
        case .refresh(let target): .refresh(try bounds.feed(target.feed))
        case .retry(let retry):
            .retry(try bounds.feed(retry.feed), view: try bounds.text(retry.view, "a view's name"), failure: FailureID(retry.failure))
        case .reset(let reset): .reset(try bounds.feed(reset.feed), version: reset.hasVersion ? ContentVersion(reset.version) : nil)
        case .cancel(let target): .cancel(JobID(target.job))
        case .reprioritize(let target):
            // What is beyond a byte is no priority either: the front says so, as of every option.
            .reprioritize(JobID(target.job), priority: UInt8(exactly: target.priority) ?? .max)
        case .cancelLoad(let target): .cancelLoad(try bounds.feed(target.feed), only: target.hasOnlyJob ? JobID(target.onlyJob) : nil)
        case .create(let create): .create(try bounds.feed(create.feed), item: try bounds.payload(create.item, "an item"))
        case .update(let update):
            .update(
                try bounds.feed(update.feed), itemID: try bounds.itemID(update.itemID), item: try bounds.payload(update.item, "an item"))
        case .sort(let sort): try sort.requestBody(within: bounds)
        case .filter(let filter): try filter.requestBody(within: bounds)
        case .select(let select): try select.requestBody(within: bounds)
        case .attach(let target): .attach(try bounds.feed(target.feed), view: try bounds.text(target.view, "a view's name"))
        case .detach(let target): .detach(try bounds.feed(target.feed), view: try bounds.text(target.view, "a view's name"))
        case .listJobs(let query): .listJobs(try query.value(within: bounds))
        case .explain(let target): .explain(JobID(target.job))
        case .outcomes(let ids): .outcomes(try ids.value(within: bounds).map(JobID.init(_:)))
        case .listFeeds(let query): .listFeeds(after: query.after.isEmpty ? nil : try bounds.feed(query.after))
        case nil: .unknown
        }
    }

    /// Writes requests that name a feed; false: `value` names none.
    private mutating func write(feedRequest value: RequestBody) -> Bool {
        switch value {
        case .load(let key): load.feed = key.text
        case .refresh(let key): refresh.feed = key.text
        case .retry(let key, let view, let failure): (retry.feed, retry.view, retry.failure) = (key.text, view, failure.rawValue)
        case .reset(let key, let version):
            reset.feed = key.text
            if let version { reset.version = version.rawValue }
        case .create(let key, let item): (create.feed, create.item) = (key.text, Data(item))
        case .update(let key, let itemID, let item): (update.feed, update.itemID, update.item) = (key.text, itemID, Data(item))
        case .sort(let key, let view, let order, let version):
            (sort.feed, sort.view) = (key.text, view)
            if let order { sort.order = WireSortOrder(order) }
            if let version { sort.version = version }
        case .filter(let key, let view, let text, let version):
            (filter.feed, filter.view, filter.text) = (key.text, view, text)
            if let version { filter.version = version }
        case .select(let key, let view, let itemID, let version):
            (select.feed, select.view) = (key.text, view)
            if let itemID { select.itemID = itemID }
            if let version { select.version = version }
        case .attach(let key, let view): (attach.feed, attach.view) = (key.text, view)
        case .detach(let key, let view): (detach.feed, detach.view) = (key.text, view)
        case .cancelLoad(let key, let job):
            cancelLoad.feed = key.text
            if let job { cancelLoad.onlyJob = job.rawValue }
        case .cancel, .reprioritize, .listJobs, .explain, .outcomes, .listFeeds, .unknown, .unreadable: return false
        }
        return true
    }

    private mutating func write(otherRequest value: RequestBody) {
        switch value {
        case .cancel(let job): cancel.job = job.rawValue
        case .reprioritize(let job, let priority): (reprioritize.job, reprioritize.priority) = (job.rawValue, UInt32(priority))
        case .listJobs(let query): listJobs = WireJobQuery(query)
        case .explain(let job): explain.job = job.rawValue
        case .outcomes(let jobs): outcomes = WireJobIDs(jobs.map(\.rawValue))
        case .listFeeds(let after):
            listFeeds = WireFeedQuery()
            if let after { listFeeds.after = after.text }
        case .unknown, .unreadable: body = nil
        case .load, .refresh, .retry, .reset, .create, .update, .sort, .filter, .select, .attach, .detach, .cancelLoad: return
        }
    }
}

extension WireSortRequest {
    fileprivate func requestBody(within bounds: Bounds) throws(CodecError) -> RequestBody {
        .sort(
            try bounds.feed(feed), view: try bounds.text(view, "a view's name"),
            order: hasOrder ? try order.value(within: bounds) : nil, version: hasVersion ? version : nil)
    }
}

extension WireFilterRequest {
    fileprivate func requestBody(within bounds: Bounds) throws(CodecError) -> RequestBody {
        .filter(
            try bounds.feed(feed), view: try bounds.text(view, "a view's name"), text: try bounds.text(text, "a filter"),
            version: hasVersion ? version : nil)
    }
}

extension WireSelectRequest {
    fileprivate func requestBody(within bounds: Bounds) throws(CodecError) -> RequestBody {
        .select(
            try bounds.feed(feed), view: try bounds.text(view, "a view's name"),
            itemID: hasItemID ? try bounds.itemID(itemID) : nil, version: hasVersion ? version : nil)
    }
}

extension WireJobQuery: Mapped {
    init(_ value: JobQuery) {
        self.init()
        if let known = value.state { state = WireJobState(known) }
        loader = value.loader
        tags = value.tags
        limit = value.limit
        if let job = value.before { before = job.rawValue }
    }

    func value(within bounds: Bounds) throws(CodecError) -> JobQuery {
        JobQuery(
            state: hasState ? try bounds.known(state, "a job's state") : nil, loader: try bounds.text(loader, "a loader's name"),
            tags: tags, limit: limit, before: hasBefore ? JobID(before) : nil)
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
