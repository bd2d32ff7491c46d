//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Tells requests apart: a repeat under the same number with another body is a mistake of its sender, not a repeat.
///
/// A chain of XXH64 (seed 0) over the parts of a body in a fixed order. The same body has the same fingerprint in each version and life of
/// the front; it is no protection against somebody who looks for another body with the same one.
struct Fingerprint {
    private(set) var value: UInt64

    /// Begins with the kind of the body.
    init(kind: UInt8) { value = XXH64.hash([kind]) }

    /// Adds a number; nil is another one than 0.
    mutating func add(_ number: UInt64?) {
        // A multiplication by an odd number and a rotation lose nothing: each number gives another value.
        value = ((value ^ (number ?? 0)) &* 0x9E37_79B1_85EB_CA87) &+ (number == nil ? 1 : 0)
        value = value << 31 | value >> 33
    }

    /// Adds bytes and their count.
    mutating func add(_ bytes: [UInt8]) { value = XXH64.hash(bytes, seed: value) }

    /// Adds a text; nil is another one than the empty one.
    mutating func add(_ text: String?) {
        add(text.map { UInt64($0.utf8.count) })
        for byte in (text ?? "").utf8 { add(UInt64(byte)) }
    }
}

extension ClientMessage.Submit {
    /// The fingerprint of what is submitted.
    public var fingerprint: UInt64 {
        var print = Fingerprint(kind: 0)
        print.add(loader)
        print.add(reportsOutcomes ? 1 : 0)
        options.add(to: &print)
        for length in arguments.lengths { print.add(UInt64(length)) }
        print.add(arguments.bytes)
        return print.value
    }
}

extension RequestBody {
    /// The fingerprint of what is asked.
    public var fingerprint: UInt64 {
        var print = Fingerprint(kind: kindNumber)
        switch self {
        case .load(let key), .refresh(let key): print.add(key.text)
        case .retry(let key, let view, let failure):
            print.add(key.text)
            print.add(view)
            print.add(failure.rawValue)
        case .reset(let key, let version):
            print.add(key.text)
            print.add(version?.rawValue)
        case .cancel(let job), .explain(let job): print.add(job.rawValue)
        case .create(let key, let item):
            print.add(key.text)
            print.add(item)
        case .update(let key, let itemID, let item):
            print.add(key.text)
            print.add(itemID)
            print.add(item)
        case .sort(let key, let view, let order, let version):
            print.add(key.text)
            print.add(view)
            print.add(order?.field)
            print.add(order.map { $0.ascending ? 1 : 0 })
            print.add(version)
        case .filter(let key, let view, let text, let version):
            print.add(key.text)
            print.add(view)
            print.add(text)
            print.add(version)
        case .select(let key, let view, let itemID, let version):
            print.add(key.text)
            print.add(view)
            print.add(itemID)
            print.add(version)
        case .attach(let key, let view), .detach(let key, let view):
            print.add(key.text)
            print.add(view)
        case .listJobs(let query): query.add(to: &print)
        case .outcomes(let jobs): for job in jobs { print.add(job.rawValue) }
        case .listFeeds(let after): print.add(after?.text)
        case .resolve(let key): print.add(key.text)
        case .cancelLoad(let key, let job):
            print.add(key.text)
            print.add(job?.rawValue)
        case .unknown: break
        case .unreadable(let error): print.add(error.description)
        }
        return print.value
    }

    /// The number of the request's field in `gantry.proto`, 0 where it has none.
    private var kindNumber: UInt8 {
        switch self {
        case .load: 3
        case .refresh: 4
        case .retry: 5
        case .reset: 6
        case .cancel: 7
        case .create: 8
        case .update: 9
        case .sort: 10
        case .filter: 11
        case .select: 12
        case .attach: 13
        case .detach: 14
        case .listJobs: 15
        case .explain: 16
        case .outcomes: 17
        case .listFeeds: 18
        case .resolve: 19
        case .cancelLoad: 20
        case .unknown, .unreadable: 0
        }
    }
}
