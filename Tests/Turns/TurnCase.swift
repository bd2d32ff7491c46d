//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import Model

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
    /// Makes a front around which so much stands.
    let prepare: (Int) -> TurnFront
    /// The turn; by its number, from 0.
    let turn: (TurnFront, Int) -> Void
    /// Whether nothing is left of what was prepared after one turn.
    var isOnce = false
}

extension TurnCase {
    /// All cases.
    static var all: [TurnCase] { connections + pages + lines + feeds }

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
                turn: { front, _ in
                    for number in 0..<front.otherClients { front.lose(number) }
                    front.settle()
                }, isOnce: true),
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
                }, turn: { front, _ in front.ask(.listJobs(page(before: 51))) }),
            TurnCase(
                name: "failed jobs in memory, the last page", growth: .constant, size: 500_000, prepare: failed,
                turn: { front, _ in
                    front.ask(.listJobs(page(before: 51, .failed)))
                }),
            TurnCase(
                name: "failed jobs in bundles, the last page", growth: .constant, size: 500_000,
                prepare: { jobs in
                    let front = failed(jobs)
                    front.bundle()
                    front.ask(.listJobs(page(before: 51, .failed)))
                    return front
                }, turn: { front, _ in front.ask(.listJobs(page(before: 51, .failed))) }),
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
                turn: { front, _ in
                    front.submit(1)
                    front.settle()
                }),
            TurnCase(
                name: "explain of a job in the middle of a line", growth: .constant, size: 500_000,
                prepare: { jobs in
                    let front = TurnFront()
                    for _ in 0..<jobs / 1_000 { front.submit(1_000) }
                    return front
                }, turn: { front, _ in front.ask(.explain(JobID(250_000))) }),
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
                turn: { front, number in
                    front.ask(.load(feed(1_000_000 + number)))
                    front.settle()
                }),
            TurnCase(
                name: "feeds, the last page", growth: .constant, size: 50_000,
                prepare: { feeds in
                    let front = TurnFront()
                    for number in 0..<feeds { attach(999_999 - number, in: front) }
                    return front
                }, turn: { front, _ in front.ask(.listFeeds(after: feed(999_949))) }),
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

    private static func attach(_ number: Int, in front: TurnFront) { front.ask(.attach(feed(number), view: "shared")) }

    private static func page(before: UInt64, _ state: JobState? = nil) -> JobQuery {
        var query = JobQuery()
        (query.before, query.limit, query.state) = (JobID(before), 50, state)
        return query
    }
}
