//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What came of cancelling a loader at each of its steps.
public struct CancelReport: Hashable, Sendable, CustomStringConvertible {
    /// How many steps the clean run took.
    public internal(set) var stepCount: Int
    /// How many runs were cancelled.
    public internal(set) var cancelCount = 0
    /// What is wrong at the first step at which something is; nil: nothing was found.
    public internal(set) var fault: CancelFault?

    public var description: String {
        fault?.description ?? "cancelled at \(cancelCount) of \(stepCount) steps, each time it ended as it should"
    }
}

/// What a loader did that it should not have done when it was cancelled.
public struct CancelFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of fault.
    public enum Kind: Hashable, Sendable {
        /// It went on for longer than the limit; its task still runs.
        case didNotEnd
        /// It left files that the clean run does not leave.
        case leftFiles([String])
        /// It returned a result though it was said to give none.
        case returnedResult
    }

    /// The step before which it was cancelled, from 1, which is before it did anything.
    public let step: Int
    /// What it did.
    public let kind: Kind
    /// How long it had.
    public let limit: Duration

    public var description: String {
        let what =
            switch kind {
            case .didNotEnd: "did not end within \(limit): look at the flag of a long call, and await nothing that ignores a cancellation"
            case .leftFiles(let files): "left \(files.joined(separator: ", ")): remove what is unfinished before it throws"
            case .returnedResult: "returned a result: call Task.checkCancellation() before it returns"
            }
        return "cancelled before step \(step), the loader \(what)"
    }
}
