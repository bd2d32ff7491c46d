//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension InjectedViolation {
    private static let machineRule = "the state of a machine is changed by its own files only"
    private static let home = SourceFile(
        "Sources/FrontCore/Scheduler/Scheduler.swift",
        """
        struct Scheduler {
            var lanes = Lanes()
            var limits = Limits()
            var rooms = Rooms()
            var sizes: Sizes
            private var pools = Pools()
            private(set) var claims: [Claim] = []
            var count: Int { lanes.count }
            mutating func grow() { var inner = 1 }
        }
        """)
    private static let changeRule = "what the machine of the front holds is changed by its own methods only"
    private static let front = SourceFile(
        "Sources/FrontCore/FrontMachine.swift",
        """
        struct FrontMachine {
            var turn: FrontTurn
            var queue: JobQueue
            mutating func step() { turn.note(1) }
        }
        struct FrontTurn {
            var count = 0
            mutating func note(_ count: Int) { self.count = count }
            func names(_ object: Int) -> Bool { object == count }
        }
        """)
    private static let chainRule = "files of other folders ask a machine or its part, and nothing deeper"
    private static let lifecycle = SourceFile(
        "Sources/FrontCore/Jobs/JobLifecycle.swift",
        """
        struct JobLifecycle {
            private(set) var ended = EndedJobs()
            private(set) var (totals, numbers) = (JobTotals(), JobNumbers())
            private var clocks = Clocks()
            var limits: LimitTable { ended.limits }
        }
        struct FrontState {
            var jobs = JobLifecycle()
        }
        """)
    private static let part = "extension Scheduler {\n    func same(_ known: Scheduler) -> Bool { known.lanes == lanes }\n}\n"

    static let machines = [
        InjectedViolation(
            machineRule, "Sources/FrontCore/FrontMachine.swift", "struct FrontMachine {}\n",
            lines: Array(repeating: 1, count: MachineRules.machines.count)),
        InjectedViolation(
            machineRule, "Sources/FrontCore/Jobs/A.swift",
            """
            func f(_ scheduler: inout Scheduler) {
                scheduler.count
                scheduler.lanes = Lanes()
                scheduler.rooms.clear()
                scheduler.sizes = Sizes()
            }
            """, lines: [3, 4, 5], beside: [home]),
        // A part of it that stands in another folder is none.
        InjectedViolation(machineRule, "Sources/FrontCore/Jobs/B.swift", part, lines: [2], beside: [home]),
        InjectedViolation(machineRule, "Sources/FrontCore/Scheduler/Scheduler+Part.swift", part, lines: [], beside: [home]),
        // What is computed, only read, a machine of its own, local, a function or somebody else's.
        InjectedViolation(
            machineRule, "Sources/FrontCore/Jobs/A.swift",
            """
            func f(_ scheduler: inout Scheduler) {
                _ = scheduler.claims.count + scheduler.count + scheduler.inner
                scheduler.limits.take(1)
                scheduler.lanes(of: 1)
                foreign.lanes.clear()
            }
            """, lines: [], beside: [home]),
        InjectedViolation(
            changeRule, "Sources/FrontCore/Loop/FrontLoop+A.swift",
            """
            struct FrontLoop {
                var machine: FrontMachine
                mutating func f() {
                    machine.turn.note(1)
                    machine.turn.count += 1
                    machine.queue = JobQueue()
                    change(&machine.turn)
                }
            }
            """, lines: [4, 5, 6, 7], beside: [front]),
        // What is only read or compared, its own method, somebody else's.
        InjectedViolation(
            changeRule, "Sources/FrontCore/Loop/FrontLoop+A.swift",
            """
            struct FrontLoop {
                var machine: FrontMachine
                mutating func f() -> Bool {
                    machine.step()
                    foreign.turn.note(1)
                    let turn = machine.turn
                    return turn.isWhole && machine.turn.names(1) && machine.turn.count == 1 && machine.turn.count >= 1
                }
            }
            """, lines: [], beside: [front]),
        InjectedViolation(
            chainRule, "Sources/FrontCore/Queue/JobQueue+A.swift",
            """
            func f(_ state: FrontState) {
                state.jobs.ended.bundled.find(1)
                state.jobs.ended.count(of: 1)
                _ = state.jobs.totals.counts.waiting + state.jobs.totals.alive
                state.jobs.numbers.lengths.time(at: 1)
            }
            """, lines: [2, 4, 5], beside: [lifecycle]),
        // A question, what a question answers, what is private, or somebody else's.
        InjectedViolation(
            chainRule, "Sources/FrontCore/Queue/JobQueue+A.swift",
            """
            func f(_ state: FrontState) {
                _ = state.jobs.totals.alive + state.jobs.bundle(of: 1).jobs.count
                state.jobs.limits.names.map { $0 }
                state.jobs.clocks.wall.time
                foreign.ended.bundled.find(1)
            }
            """, lines: [], beside: [lifecycle]),
        InjectedViolation(
            chainRule, "Sources/FrontCore/Jobs/JobTimes.swift", "func f(_ jobs: JobLifecycle) { jobs.ended.bundled.find(1) }\n",
            lines: [], beside: [lifecycle]),
    ]
}
