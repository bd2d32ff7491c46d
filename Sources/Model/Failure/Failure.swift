//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What went wrong, in a form that every observer shows alike.
public struct Failure: Hashable, Sendable {
    /// Which failure this is: the id of the job that failed, 0 for a refused request.
    public var id: FailureID
    /// The kind of failure.
    public var code: FailureCode
    /// One sentence that names the thing and the next step; at most 4,096 bytes.
    public var text: String
    /// Arguments for a message in another language, by the code's message key; for example `["status": "503"]`; at most 32
    /// texts of 1,024 bytes.
    public var arguments: [String]
    /// Whether the same request may succeed later.
    public var retryable: Bool
    /// How often the work was tried, from 1; 0 for a refused request.
    public var attempts: UInt32

    /// A failure; `arguments` alternate between name and value.
    public init(
        id: FailureID = .none, code: FailureCode, text: String, arguments: [String] = [], retryable: Bool = false, attempts: UInt32 = 0
    ) {
        self.id = id
        self.code = code
        self.text = text
        self.arguments = arguments
        self.retryable = retryable
        self.attempts = attempts
    }
}
