//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The last accepted request of each kind is in effect at the end, in views of one client and in those that all share.
extension Ledger {
    /// A request for a view was answered.
    func answered(_ part: ViewInterest.Part, of view: Topic, naming version: UInt64?, with reply: Reply) {
        switch reply {
        case .accepted, .done: break
        // Nothing was changed.
        case .refused, .cancelling, .alreadyEnded, .jobs, .explanation, .jobsAccepted, .feeds, .selected: return
        }
        guard let found = places.find(reply, for: view) else { return interests[view, default: ViewInterest()].leave(part) }
        interests[view, default: ViewInterest()].accept(part, at: found.place)
        // Who joins a job that makes the same already changes nothing.
        if case .accepted(_, joined: true) = reply { return }
        if let version, let made = found.version, made != version + 1 {
            world.violate(.conflictsAreReported, "\(view) was to be \(part) if at version \(version), and was so at \(made - 1)")
        }
    }

    /// What became of a request for a view will not be known.
    func leave(_ part: ViewInterest.Part, of view: Topic) { interests[view, default: ViewInterest()].leave(part) }

    /// An entry is durable: some of them say that what was accepted is in effect no longer.
    func noteViews(in entry: JournalEntry) {
        places.count(entry)
        if case .feedJobAccepted(let job) = entry { note(job) }
        if case .viewChanged(let changed) = entry { noteView(changed.view, .view(changed.key, changed.view.name)) }
        if case .viewForgotten(let forgotten) = entry { forget(.view(forgotten.key, forgotten.view)) }
        if case .feedForgotten(let forgotten) = entry {
            for case .view(forgotten.key, let name) in Array(places.views.keys) { forget(.view(forgotten.key, name)) }
        }
        // A selection that is cancelled on its way gives way to the one before it; one that was replaced does not come back.
        if case .cancelRequested(let cancel) = entry, let view = detailJobs[cancel.job.rawValue],
            places.views[view]?.detail == .loading(cancel.job)
        {
            giveUp(view, [.selection])
            losing.insert(view)
        }
        guard case .ended(let ended) = entry else { return }
        for (id, state) in zip(ended.jobs, ended.states) { noteEnd(of: id, state) }
    }

    private func note(_ job: JournalEntry.FeedJob) {
        let view = Topic.view(job.key, job.view)
        switch job.operation {
        case .sort: orderJobs[job.job.rawValue] = view
        case .detail: detailJobs[job.job.rawValue] = view
        case .create: createJobs[job.job.rawValue] = view
        case .load, .merge, .update: break
        }
    }

    private func noteView(_ view: ViewState, _ topic: Topic) {
        // A reset takes selections away; who has asked for it is not told the view's version. A selection whose detail was lost goes back to
        // the one before it, which may have been none.
        if let old = places.views[topic], old.selection != nil, view.version == old.version + 1, view.revision == nil,
            view.selection == nil,
            !losing.contains(topic)
        {
            interests[topic, default: ViewInterest()].accept(.selection(nil), at: places.count)
        }
        losing.remove(topic)
        places.note(view, of: topic)
    }

    private func forget(_ view: Topic) {
        giveUp(view, [.sort, .filter, .selection])
        places.forget(view)
    }

    /// An order that failed puts the one before it back, and so does a selection; a new item is selected, unless somebody selects after it.
    private func noteEnd(of id: UInt64, _ state: JobState) {
        if state == .succeeded, let view = createJobs[id], let place = places.place(of: id) {
            interests[view, default: ViewInterest()].accept(.selection(Run.itemID(of: JobID(id))), at: place)
        }
        guard state != .succeeded, state != .cancelled else { return }
        if let view = orderJobs[id] { giveUp(view, [.sort, .filter]) }
        guard let view = detailJobs[id] else { return }
        giveUp(view, [.selection])
        losing.insert(view)
    }

    private func giveUp(_ view: Topic, _ kinds: [ViewInterest.Kind]) {
        for kind in kinds { interests[view, default: ViewInterest()].giveUp(kind, at: places.count) }
    }

    /// At rest every view is as its clients were last told, and what is shown is ordered so.
    func checkViews(_ item: (_ key: String, _ topic: Topic) -> ItemValue?) {
        guard !isMemory else { return }
        for (topic, interest) in interests {
            guard case .view(let view)? = item("view", topic) else { continue }
            if world.variation.ordersHold {
                judge(.sort(view.sort), topic, interest, .orderStays)
                judge(.filter(view.filter), topic, interest, .orderStays)
                checkRevision(of: view, topic)
            }
            if world.variation.selectionsHold { judge(.selection(view.selection), topic, interest, .selectionStays) }
        }
    }

    private func judge(_ part: ViewInterest.Part, _ topic: Topic, _ interest: ViewInterest, _ promise: Promise) {
        guard let wanted = interest.wanted(insteadOf: part) else { return }
        world.violate(promise, "\(topic) is \(part), accepted was \(wanted)")
    }

    private func checkRevision(of view: ViewState, _ topic: Topic) {
        guard let revision = view.revision, view.sorting == nil, view.failure == nil else { return }
        guard revision.sort != view.sort || revision.filter != view.filter else { return }
        let (shown, stated) = ((ViewInterest.Part.sort(revision.sort), revision.filter), (ViewInterest.Part.sort(view.sort), view.filter))
        world.violate(
            .orderStays, "what \(topic) shows is \(shown.0) and filtered by \"\(shown.1)\", it says \(stated.0) and \"\(stated.1)\"")
    }
}

/// What is known of the requests for one view: of each kind the one that was accepted last has to be in effect at the end.
struct ViewInterest {
    /// A part of a view.
    enum Kind {
        case sort
        case filter
        case selection
    }

    /// One part of a view, as asked for.
    enum Part: Hashable {
        case sort(SortOrder?)
        case filter(String)
        case selection(String?)

        var kind: Kind {
            switch self {
            case .sort: .sort
            case .filter: .filter
            case .selection: .selection
            }
        }
    }

    private var accepted: [Kind: (part: Part, place: UInt64)] = [:]
    /// The place among all entries up to which what was accepted is not in effect, for a reason of its own.
    private var givenUp: [Kind: UInt64] = [:]
    /// Requests of which nobody will ever be told what became: each may take effect at any time.
    private var unanswered: Set<Part> = []

    /// A request was accepted; its place among all entries says which one was the last, whenever its client is told.
    mutating func accept(_ part: Part, at place: UInt64) {
        if let last = accepted[part.kind], last.place > place { return }
        accepted[part.kind] = (part, place)
    }

    /// Nobody knows what became of a request.
    mutating func leave(_ part: Part) { unanswered.insert(part) }

    /// What was accepted until now is not in effect any more, or may be not.
    mutating func giveUp(_ kind: Kind, at place: UInt64) { givenUp[kind] = place }

    /// What has to be in effect instead of this; nil: this may be.
    func wanted(insteadOf part: Part) -> Part? {
        guard let last = accepted[part.kind], last.place > givenUp[part.kind, default: 0] else { return nil }
        return last.part == part || unanswered.contains(part) ? nil : last.part
    }
}

extension ViewInterest.Part: CustomStringConvertible {
    var description: String {
        switch self {
        case .sort(let order): "sorted by \(order.map { "\($0.field)\($0.ascending ? "" : " descending")" } ?? "nothing")"
        case .filter(let text): "filtered by \"\(text)\""
        case .selection(let itemID): "at item \(itemID ?? "none")"
        }
    }
}

/// Where accepted requests stand among all durable entries: a client is told a job or a version, and of two requests the later entry wins.
struct RequestPlaces {
    /// Entries so far.
    private(set) var count: UInt64 = 0
    private var jobs: [UInt64: UInt64] = [:]
    /// Of each view and version the first entry with it.
    private var versions: [Topic: [UInt64: UInt64]] = [:]
    /// The version that each job of a view began with.
    private var firstVersions: [UInt64: UInt64] = [:]
    /// Views that were forgotten: a version of theirs may mean one of an earlier life.
    private var forgotten: Set<Topic> = []
    /// How each view is shown.
    private(set) var views: [Topic: ViewState] = [:]

    mutating func count(_ entry: JournalEntry) {
        count += 1
        if case .feedJobAccepted(let job) = entry { jobs[job.job.rawValue] = count }
    }

    mutating func note(_ view: ViewState, of topic: Topic) {
        views[topic] = view
        if versions[topic]?[view.version] == nil { versions[topic, default: [:]][view.version] = count }
        var worked: [JobID] = view.sorting.map { [$0] } ?? []
        if case .loading(let job) = view.detail { worked.append(job) }
        for job in worked where firstVersions[job.rawValue] == nil { firstVersions[job.rawValue] = view.version }
    }

    mutating func forget(_ topic: Topic) {
        (views[topic], versions[topic]) = (nil, nil)
        forgotten.insert(topic)
    }

    func place(of job: UInt64) -> UInt64? { jobs[job] }

    /// The entry of an accepted request for a view, and the version that it made; nil: unknown.
    func find(_ reply: Reply, for view: Topic) -> (place: UInt64, version: UInt64?)? {
        switch reply {
        case .accepted(let job, _): jobs[job.rawValue].map { ($0, firstVersions[job.rawValue]) }
        case .done(let version) where !forgotten.contains(view): versions[view]?[version].map { ($0, version) }
        case .done, .refused, .cancelling, .alreadyEnded, .jobs, .explanation, .jobsAccepted, .feeds, .selected: nil
        }
    }
}
