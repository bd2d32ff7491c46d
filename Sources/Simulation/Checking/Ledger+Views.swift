//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The last accepted request of each kind is in effect at the end, in views of one client and in those that all share.
extension Ledger {
    /// A request for a view was answered.
    func answered(_ part: ViewWish.Part, of view: Topic, naming version: UInt64?, with reply: Reply) {
        switch reply {
        case .accepted, .done: break
        // Nothing was changed.
        case .refused, .cancelling, .alreadyEnded, .jobs, .explanation, .jobsAccepted, .feeds: return
        }
        guard let found = places.find(reply, for: view) else { return wishes[view, default: ViewWish()].leave(part) }
        wishes[view, default: ViewWish()].accept(part, at: found.place)
        // Who joins a job that makes the same already changes nothing.
        if case .accepted(_, joined: true) = reply { return }
        if let version, let made = found.version, made != version + 1 {
            world.violate(.conflictsAreTold, "\(view) was to be \(part) if at version \(version), and was so at \(made - 1)")
        }
    }

    /// What became of a request for a view will not be known.
    func leave(_ part: ViewWish.Part, of view: Topic) { wishes[view, default: ViewWish()].leave(part) }

    /// An entry is durable: some of them say that what was accepted is in effect no longer.
    func noteViews(in fact: Fact) {
        places.count(fact)
        if case .feedJobAccepted(let job) = fact { note(job) }
        if case .viewChanged(let changed) = fact { noteView(changed.view, .view(changed.key, changed.view.name)) }
        if case .viewForgotten(let forgotten) = fact { forget(.view(forgotten.key, forgotten.view)) }
        if case .feedForgotten(let forgotten) = fact {
            for case .view(forgotten.key, let name) in Array(places.views.keys) { forget(.view(forgotten.key, name)) }
        }
        // A selection that is cancelled on its way gives way to the one before it; one that was replaced does not come back.
        if case .cancelRequested(let cancel) = fact, let view = detailJobs[cancel.job.rawValue],
            places.views[view]?.detail == .loading(cancel.job)
        {
            giveUp(view, [.selection])
            losing.insert(view)
        }
        guard case .ended(let ended) = fact else { return }
        for (id, state) in zip(ended.jobs, ended.states) { noteEnd(of: id, state) }
    }

    private func note(_ job: Fact.FeedJob) {
        let view = Topic.view(job.key, job.view)
        switch job.operation {
        case .arrange: orderJobs[job.job.rawValue] = view
        case .detail: detailJobs[job.job.rawValue] = view
        case .create: createJobs[job.job.rawValue] = view
        case .load, .merge, .update: break
        }
    }

    private func noteView(_ view: ViewState, _ topic: Topic) {
        // A reset takes selections away; who has asked for it is not told the view's version. A selection whose detail was lost goes back to
        // the one before it, which may have been none.
        if let old = places.views[topic], old.selection != nil, view.version == old.version + 1, view.pair == nil, view.selection == nil,
            !losing.contains(topic)
        {
            wishes[topic, default: ViewWish()].accept(.selection(nil), at: places.count)
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
            wishes[view, default: ViewWish()].accept(.selection(Run.itemID(of: JobID(id))), at: place)
        }
        guard state != .succeeded, state != .cancelled else { return }
        if let view = orderJobs[id] { giveUp(view, [.sort, .filter]) }
        guard let view = detailJobs[id] else { return }
        giveUp(view, [.selection])
        losing.insert(view)
    }

    private func giveUp(_ view: Topic, _ kinds: [ViewWish.Kind]) {
        for kind in kinds { wishes[view, default: ViewWish()].giveUp(kind, at: places.count) }
    }

    /// At rest every view is as its clients were last told, and what is shown is ordered so.
    func checkViews(_ item: (_ key: String, _ topic: Topic) -> ItemValue?) {
        guard !isMemory else { return }
        for (topic, wish) in wishes {
            guard case .view(let view)? = item("view", topic) else { continue }
            if world.variation.ordersHold {
                judge(.sort(view.sort), topic, wish, .orderStays)
                judge(.filter(view.filter), topic, wish, .orderStays)
                checkPair(of: view, topic)
            }
            if world.variation.selectionsHold { judge(.selection(view.selection), topic, wish, .selectionStays) }
        }
    }

    private func judge(_ part: ViewWish.Part, _ topic: Topic, _ wish: ViewWish, _ promise: Promise) {
        guard let wanted = wish.wanted(insteadOf: part) else { return }
        world.violate(promise, "\(topic) is \(part), accepted was \(wanted)")
    }

    private func checkPair(of view: ViewState, _ topic: Topic) {
        guard let pair = view.pair, view.arranging == nil, view.failure == nil else { return }
        guard pair.sort != view.sort || pair.filter != view.filter else { return }
        let (shown, said) = ((ViewWish.Part.sort(pair.sort), pair.filter), (ViewWish.Part.sort(view.sort), view.filter))
        world.violate(.orderStays, "what \(topic) shows is \(shown.0) and filtered by \"\(shown.1)\", it says \(said.0) and \"\(said.1)\"")
    }
}
