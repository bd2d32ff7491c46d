//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension Reply {
    /// Bytes of a name that a refusal echoes, and of the whole sentence: what is kept for repeats is as small as what is useful to read.
    static let quotedByteCount = 80
    private static let refusalByteCount = 1_024
    /// Bytes of the sentence about another version: the longest that any client can ask for at will.
    private static let conflictByteCount = 256

    /// A refusal that changes nothing.
    static func refusal(_ code: FailureCode, _ text: String, arguments: [String] = [], retryAfter: Duration = .zero) -> Reply {
        let failure = Failure(code: code, text: text.cut(to: refusalByteCount), arguments: arguments, retryable: retryAfter > .zero)
        return .refused(failure, retryAfter: retryAfter)
    }

    /// The refusal of a request of another version.
    static var unknownRequest: Reply {
        refusal(.invalidData, "this front speaks protocol version \(ProtocolVersion.current) and does not know that request")
    }

    /// The refusal of a request about a job that is not there.
    static func unknownJob(_ job: JobID) -> Reply {
        refusal(
            .unknownItem,
            "job \(job) is not known: it never existed, was forgotten after its end, or was lost with a front that kept its jobs in memory")
    }

    /// The refusal of a request that saw another version; the arguments name the current one.
    static func conflict(_ text: String, _ key: FeedKey, view: String? = nil, version: UInt64) -> Reply {
        let name = key.text.cut(to: quotedByteCount)
        let arguments = ["feed", name] + (view.map { ["view", $0] } ?? []) + ["version", String(version)]
        let failure = Failure(code: .conflict, text: text.cut(to: conflictByteCount), arguments: arguments)
        return .refused(failure, retryAfter: .zero)
    }

    /// Whether nothing was done.
    var isRefused: Bool {
        if case .refused = self { return true }
        return false
    }
}
