//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Something that the front could not take: which, why, and when to try again.
public struct Refused: Hashable, Sendable {
    /// One sentence that names the next step.
    public var reason: String
    /// Why, as a machine reads it; nil where there is no word for it.
    public var code: FailureCode?
    /// The request that is refused; none: it was not a request.
    public var number: RequestNumber
    /// After which time to try again; zero where waiting does not help.
    public var retryAfter: Duration

    /// A refusal; of no request and for good, unless told otherwise.
    public init(reason: String, code: FailureCode? = nil, number: RequestNumber = .none, retryAfter: Duration = .zero) {
        self.reason = reason
        self.code = code
        self.number = number
        self.retryAfter = retryAfter
    }

    /// The refusal of something that could not be read.
    public init(_ error: CodecError) { self.init(reason: error.description, code: error.code) }
}
