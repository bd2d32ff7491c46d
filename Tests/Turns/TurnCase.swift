//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// A turn of the front whose cost is compared for two sizes of what stands around it.
struct TurnCase {
    /// How its cost may grow with the size.
    enum Growth: String {
        case constant
        case linear

        /// The largest ratio of the cost at twice the size to that at the size: a third of noise and of logarithms beside what the name says.
        var bar: Double {
            switch self {
            case .constant: 1.3
            case .linear: 2.3
            }
        }
    }

    let name: String
    let growth: Growth
    let size: Int
    /// Makes a front around which so much stands; what it gives makes a turn, by its number, from 0.
    let prepare: (Int) -> (Int) -> Void
    /// How many turns are measured together.
    let count: Int
    /// Whether nothing is left of what was prepared after one turn.
    let isOnce: Bool

    init<Front>(
        name: String, growth: Growth, size: Int, prepare: @escaping (Int) -> Front, turn: @escaping (Front, Int) -> Void,
        isOnce: Bool = false, count: Int = 200
    ) {
        (self.name, self.growth, self.size) = (name, growth, size)
        self.prepare = { size in
            let front = prepare(size)
            return { number in turn(front, number) }
        }
        (self.isOnce, self.count) = (isOnce, isOnce ? 1 : count)
    }
}

extension TurnCase {
    /// All cases.
    static var all: [TurnCase] { connections + keys + pages + lines + feeds + restarts }

    /// Unique keys.
    private static var keys: [TurnCase] {
        [
            TurnCase(
                name: "unique keys that are taken", growth: .constant, size: 50_000,
                prepare: { keys in
                    let front = TurnFront()
                    for number in 0..<keys { front.submit(1, loader: "nobody", key: UniqueKey("\(number)", afterEnd: .seconds(60))) }
                    return front
                },
                turn: { (front: TurnFront, number) in
                    // One joins, one takes a key and gives it back.
                    front.submit(1, loader: "nobody", key: UniqueKey("\(number)", afterEnd: .seconds(60)))
                    front.ask(.job(.cancel(front.submit(1, loader: "nobody", key: UniqueKey("own")))))
                    front.settle()
                })
        ]
    }

    /// Names, clients and workers.
    private static var connections: [TurnCase] {
        [
            TurnCase(
                name: "waiting loader names", growth: .constant, size: 1_000,
                prepare: { names in
                    let front = TurnFront()
                    for number in 0..<names { front.submit(1, loader: "nobody-\(number)") }
                    front.attach()
                    return front
                }, turn: runOne),
            TurnCase(
                name: "waiting clients", growth: .constant, size: 1_000,
                prepare: { clients in
                    let front = TurnFront()
                    for number in 0..<clients {
                        front.open(number)
                        front.submit(loader: "nobody", by: number)
                    }
                    front.attach()
                    return front
                }, turn: runOne),
            TurnCase(
                name: "workers", growth: .constant, size: 256,
                prepare: { workers in
                    let front = TurnFront()
                    for _ in 0..<workers { front.attach() }
                    front.settle()
                    return front
                }, turn: runOne),
            TurnCase(
                name: "clients vanish", growth: .linear, size: 5_000,
                prepare: { clients in
                    let front = TurnFront()
                    for number in 0..<clients { front.open(number) }
                    return front
                },
                turn: { (front: TurnFront, _) in
                    for number in 0..<front.otherClients { front.lose(number) }
                    front.settle()
                }, isOnce: true),
            TurnCase(
                name: "snapshot requests of one client, all turns", growth: .linear, size: 4_000,
                prepare: { requests in
                    let loop = TurnLoop()
                    loop.begin()
                    return (loop, requests)
                }, turn: { front, _ in front.0.ask(forSnapshots: front.1) }, isOnce: true),
            TurnCase(
                name: "four workers with held jobs are lost", growth: .constant, size: 8_192,
                prepare: { jobs in
                    let front = TurnFront()
                    for _ in 0..<4 { front.attach() }
                    for _ in 0..<jobs / 1_024 {
                        front.submit(1_024)
                        front.settle()
                    }
                    // Its lease is over, and the grace after it.
                    front.pass(milliseconds: 5_500)
                    return front
                }, turn: { front, _ in front.settle() }, isOnce: true),
        ]
    }

    /// Pages of jobs.
    private static var pages: [TurnCase] {
        [
            TurnCase(
                name: "jobs, the last page", growth: .constant, size: 500_000,
                prepare: { jobs in
                    let front = TurnFront()
                    for _ in 0..<jobs / 1_000 { front.submit(1_000) }
                    return front
                }, turn: { (front: TurnFront, _) in front.ask(.job(.list(page(before: 51)))) }),
            TurnCase(
                name: "failed jobs in memory, the last page", growth: .constant, size: 500_000, prepare: failed,
                turn: { (front: TurnFront, _) in
                    front.ask(.job(.list(page(before: 51, .failed))))
                }),
            TurnCase(
                name: "failed jobs in bundles, the last page", growth: .constant, size: 500_000,
                prepare: { jobs in
                    let front = failed(jobs)
                    front.bundle()
                    front.ask(.job(.list(page(before: 51, .failed))))
                    return front
                }, turn: { (front: TurnFront, _) in front.ask(.job(.list(page(before: 51, .failed)))) }),
            TurnCase(
                name: "failure codes, one more and the counts", growth: .constant, size: 100_000,
                prepare: { codes in
                    let front = TurnFront()
                    front.attach()
                    front.run(codes, failing: true, isOfManyCodes: true)
                    return front
                },
                turn: { (front: TurnFront, _) in
                    front.run(1, failing: true, isOfManyCodes: true)
                    front.showCounts()
                }),
        ]
    }

    /// Lines of waiting jobs.
    private static var lines: [TurnCase] {
        [
            TurnCase(
                name: "a job into the middle of a line", growth: .constant, size: 500_000,
                prepare: { jobs in
                    let front = TurnFront()
                    for number in 0..<jobs / 1_000 { front.submit(1_000, priority: number % 2 == 0 ? 9 : 1) }
                    return front
                },
                turn: { (front: TurnFront, _) in
                    front.submit(1)
                    front.settle()
                }),
            TurnCase(
                name: "explain of a job in the middle of a line", growth: .constant, size: 500_000,
                prepare: { jobs in
                    let front = TurnFront()
                    for _ in 0..<jobs / 1_000 { front.submit(1_000) }
                    return front
                }, turn: { (front: TurnFront, _) in front.ask(.job(.explain(JobID(250_000)))) }),
        ]
    }

    /// Feeds and their list.
    private static var feeds: [TurnCase] {
        [
            TurnCase(
                name: "live feeds, the load of one more", growth: .constant, size: 10_000,
                prepare: { feeds in
                    let front = TurnFront()
                    for number in 0..<feeds { attach(number, in: front) }
                    return front
                },
                turn: { (front: TurnFront, number) in
                    front.ask(.feed(feed(1_000_000 + number), .load))
                    front.settle()
                }),
            TurnCase(
                name: "feeds with a damaged object, the first turn", growth: .constant, size: 5_000,
                prepare: { feeds in
                    let front = TurnFront()
                    front.attach(slots: 64, loaders: ["http"])
                    for number in 0..<feeds { front.ask(.feed(feed(number), .load)) }
                    front.load(object)
                    return front
                },
                turn: { (front: TurnFront, _) in
                    front.damage(object.digest)
                    front.settle()
                }, isOnce: true),
            TurnCase(
                name: "feeds with 64 views of a damaged object, all turns", growth: .linear, size: 5_000,
                prepare: { feeds in
                    let front = TurnFront()
                    front.attach(slots: 64, loaders: ["http"])
                    for number in 0..<feeds { front.ask(.feed(feed(number), .load)) }
                    front.load(object)
                    for number in 0..<feeds { for view in 1..<64 { front.ask(.feed(feed(number), .attach(view: "v\(view)"))) } }
                    return front
                }, turn: { (front: TurnFront, _) in front.letGo(of: object.digest) }, isOnce: true),
            TurnCase(
                name: "feeds, the last page", growth: .constant, size: 500_000,
                prepare: { feeds in
                    let front = TurnFront()
                    // Each has some 3 KB, so that both fronts need 5 GB. Numbers of as many digits, for keys are sorted as texts, and both
                    // pages are to be as long.
                    for number in 0..<feeds { attach(9_999_999 - number, in: front) }
                    return front
                }, turn: { (front: TurnFront, _) in front.ask(.listFeeds(after: feed(9_999_949))) }),
        ]
    }

    /// What a front reads before it serves.
    private static var restarts: [TurnCase] {
        func waiting(_ jobs: Int) -> TurnFront {
            let front = TurnFront(isRecorded: true)
            for _ in 0..<jobs / 1_000 { front.submit(1_000) }
            return front
        }
        return [
            TurnCase(
                name: "restart with waiting jobs, from their log", growth: .linear, size: 1_000_000, prepare: waiting,
                turn: { (front: TurnFront, _) in front.restart() }, count: 1),
            TurnCase(
                name: "restart with waiting jobs, from a checkpoint", growth: .linear, size: 1_000_000,
                prepare: { jobs in
                    let front = waiting(jobs)
                    front.store()
                    return front
                }, turn: { (front: TurnFront, _) in front.restart() }, count: 1),
        ]
    }

    /// A job comes, is granted and ends.
    private static func runOne(_ front: TurnFront, _ number: Int) {
        front.submit(1)
        front.settle()
        front.endHeld()
        front.settle()
    }

    private static func failed(_ jobs: Int) -> TurnFront {
        let front = TurnFront()
        front.attach()
        front.run(jobs, failing: true)
        return front
    }

    private static func feed(_ number: Int) -> FeedKey {
        guard let key = FeedKey(name: "items", parameters: [.init(name: "number", value: String(number))]) else {
            preconditionFailure("items?number=\(number) is no feed")
        }
        return key
    }

    private static let object = ObjectReference(digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 10, itemCount: 3)

    private static func attach(_ number: Int, in front: TurnFront) { front.ask(.feed(feed(number), .attach(view: "shared"))) }

    private static func page(before: UInt64, _ state: JobState? = nil) -> JobQuery {
        var query = JobQuery()
        (query.before, query.limit, query.state) = (JobID(before), 50, state)
        return query
    }
}
