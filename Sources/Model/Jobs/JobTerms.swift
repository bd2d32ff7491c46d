//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What many jobs have in common: who asked for them, and how they are to be run. The front keeps each once, however many jobs have it.
public struct JobTerms: Hashable, Sendable {
    /// The label of the client that asked; empty: the front itself, or a client without one.
    public var client: String
    /// How the jobs are to be run.
    public var options: JobOptions

    /// Those of a client, or of nobody with the usual options.
    public init(client: String = "", options: JobOptions = JobOptions()) {
        self.client = client
        self.options = options
    }

    /// Bytes of the texts in them.
    public var byteCount: Int { client.utf8.count + options.byteCount }
}
