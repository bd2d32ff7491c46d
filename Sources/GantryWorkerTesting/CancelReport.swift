//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import GantryModel

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
public struct CancelFault: CodedError {
    /// The kinds of fault.
    public enum Code: Hashable, Sendable, CustomStringConvertible {
        /// It went on for longer than the limit; its task still runs.
        case didNotEnd
        /// It left files that the clean run does not leave.
        case leftFiles([String])
        /// It returned a result though it was said to give none.
        case returnedResult

        /// A word.
        public var description: String {
            switch self {
            case .didNotEnd: "didNotEnd"
            case .leftFiles: "leftFiles"
            case .returnedResult: "returnedResult"
            }
        }
    }

    /// The step before which it was cancelled, from 1, which is before it did anything.
    public let step: Int
    /// What it did.
    public let code: Code
    /// How long it had.
    public let limit: Duration
    /// What it threw in the end; nil: nothing, or that it was cancelled, as it should.
    public let cause: ErrorCause?

    /// When it was cancelled, and what it did.
    public var context: String {
        let what =
            switch code {
            case .didNotEnd: "did not end within \(limit)"
            case .leftFiles(let files): "left \(files.joined(separator: ", "))"
            case .returnedResult: "returned a result"
            }
        return "cancelled before step \(step), the loader \(what)"
    }

    /// What to change in it.
    public var nextStep: String {
        switch code {
        case .didNotEnd: "look at the flag of a long call, and await nothing that ignores a cancellation"
        case .leftFiles: "remove what is unfinished before it throws"
        case .returnedResult: "call Task.checkCancellation() before it returns"
        }
    }
}
