//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What a request asks. Those that change something name their target by id and, where it matters, the version they saw.
public enum RequestBody: Hashable, Sendable {
    /// Asks something of a feed, by its key as the client named it.
    case feed(FeedKey, FeedRequest)
    /// Asks something of jobs.
    case job(JobRequest)
    /// Lists the live feeds by key, those after the given one; nil: from the first.
    case listFeeds(after: FeedKey? = nil)
    /// A kind that this version does not know: refused by name.
    case unknown
    /// A request that names something which cannot be: refused by its reply.
    case unreadable(CodecError)
}

// MARK: What carrying it out does

extension RequestBody {
    /// What carrying out a request does. Whoever treats requests alike asks for this, so a new one is classified in one place.
    public enum Effect: Hashable, Sendable {
        /// Makes a job.
        case work
        /// Ends work: possible also while nothing else can be written.
        case cancel
        /// Changes something else.
        case change
        /// Keeps something busy or lets it go; done twice it is as if done once.
        case interest
        /// Reads as much as the state is large.
        case list
        /// Is not understood.
        case nothing
    }

    /// What carrying it out does.
    public var effect: Effect {
        switch self {
        case .feed(_, let request): request.effect
        case .job(let request): request.effect
        case .listFeeds: .list
        case .unknown, .unreadable: .nothing
        }
    }

    /// Whether the reply is kept, because a second run would do something a second time.
    public var changesState: Bool {
        switch effect {
        case .work, .cancel, .change: true
        case .interest, .list, .nothing: false
        }
    }
}

// MARK: What it is about and how large it is

extension RequestBody {
    /// The feed that the request is about, as it was named; nil: it is about none.
    public var feed: FeedKey? {
        guard case .feed(let key, _) = self else { return nil }
        return key
    }

    /// Bytes of the texts and items that it carries: what bounds of memory count beside its place.
    public var byteCount: Int {
        switch self {
        case .feed(let key, let request): key.text.utf8.count + request.byteCount
        case .job(let request): request.byteCount
        case .listFeeds(let after): after?.text.utf8.count ?? 0
        case .unknown: 0
        case .unreadable(let error): error.what.utf8.count + error.reason.utf8.count
        }
    }
}

// MARK: What tells it from others

extension RequestBody {
    /// The fingerprint of what is asked.
    public var fingerprint: UInt64 {
        var print = Fingerprint(kind: kindNumber)
        switch self {
        case .feed(let key, let request):
            print.add(key.text)
            request.add(to: &print)
        case .job(let request): request.add(to: &print)
        case .listFeeds(let after): print.add(after?.text)
        case .unknown: break
        case .unreadable(let error): print.add(error.description)
        }
        return print.value
    }

    /// The number of the request's field in `gantry.proto`, 0 where it has none.
    private var kindNumber: UInt8 {
        switch self {
        case .feed(_, let request): request.kindNumber
        case .job(let request): request.kindNumber
        case .listFeeds: 18
        case .unknown, .unreadable: 0
        }
    }
}
