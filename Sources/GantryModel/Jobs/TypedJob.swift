//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A kind of job as a type that programs and workers share: its fields are the job's argument, its `Result` is what a success gives.
///
/// ```swift
/// struct CountWords: TypedJob {
///     struct Result: Codable, Sendable {
///         var wordCount: Int
///     }
///
///     static let loaderName = "count-words"
///     var path: String
///     var longerThan: Int?
/// }
/// ```
///
/// `GantryClient.run(_:)` submits it and gives the result; `JobHandler` of `GantryWorker` handles it. Jobs of opaque bytes remain beside it: this is only a
/// form of those bytes.
///
/// Argument and result travel as JSON (RFC 8259, UTF-8) of at most 65,536 bytes each, so programs of any language can submit and handle the job, the
/// command line too: `gantry job submit count-words --argument '{"path":"README.md"}'`. The form is stable: an object whose keys are the fields' names,
/// sorted; a `Date` as text after RFC 3339 in UTC with milliseconds; `Data` as text in Base64. When it is read, the order does not matter, fields that the
/// type does not have are ignored, and no bytes at all count as `{}`. So a field that is added later must be optional while old jobs wait.
public protocol TypedJob: Codable, Sendable {
    /// What a success gives; ``NoResult`` by default.
    associatedtype Result: Codable & Sendable = NoResult

    /// The loader that runs these jobs, the name that its worker offers: a lower-case letter, then up to 62 lower-case letters, digits or dashes.
    static var loaderName: String { get }
}

/// The result of a job that has none. Any bytes decode to it.
public struct NoResult: Codable, Hashable, Sendable {
    /// The only value.
    public init() {}
}
