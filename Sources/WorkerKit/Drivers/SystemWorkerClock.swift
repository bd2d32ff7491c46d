//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform

/// CLOCK_BOOTTIME and a kernel timer on it that sends SIGKILL.
final class SystemWorkerClock: WorkerClock {
    private let timer: KillTimer

    init() throws(SystemError) { timer = try KillTimer() }

    func now() -> MonotonicTime { MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()) }

    func armKillTimer(at instant: MonotonicTime) throws { try timer.arm(atBootNanoseconds: instant.nanoseconds) }

    func disarmKillTimer() throws { try timer.disarm() }
}
