//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

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
        case .done, .refused, .cancelling, .alreadyEnded, .jobs, .explanation, .jobsAccepted, .feeds: nil
        }
    }
}
