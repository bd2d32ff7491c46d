//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// When a part of `up` that has ended is started again.
///
/// A crash or a signal is always followed by another start: jobs and observers wait for the part, and whoever runs `up` may not look.
struct RestartRule {
    /// What follows a part's end.
    enum Decision: Equatable {
        /// It is started again after the pause.
        case again(after: Duration)
        /// Another start would end the same way; `up` ends with the code.
        case final(code: Int32)
    }

    /// A front may be away for 2 s before leases suffer, so the first pause is far below.
    static let shortestPause = Duration.milliseconds(100)
    /// So that a part that cannot start costs little, and is back soon after it can.
    static let longestPause = Duration.seconds(5)
    /// A part that lives so long after it was ready has started well: its end is no sign that the next start fails.
    static let youngAge = Duration.seconds(1)
    /// In use, wrong arguments, a folder that cannot be written, a wrong configuration: nothing of it changes by trying again, also for a part
    /// that has served, since it is started with the same configuration each time.
    static let finalStatuses: [ExitStatus] = [.conflict, .usage, .cannotWrite, .configuration]

    private var pause = shortestPause

    /// A part has ended.
    /// - Parameters:
    ///   - exit: how; nil: unknown.
    ///   - age: for how long it had been ready; nil: it never was.
    mutating func ended(_ exit: ProcessExit?, age: Duration?) -> Decision {
        if case .exited(let code)? = exit, Self.finalStatuses.contains(where: { $0.rawValue == code }) { return .final(code: code) }
        guard age.map({ $0 <= Self.youngAge }) ?? true else {
            pause = Self.shortestPause
            return .again(after: pause)
        }
        defer { pause = min(pause * 2, Self.longestPause) }
        return .again(after: pause)
    }
}
