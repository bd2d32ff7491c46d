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
    ]
}
