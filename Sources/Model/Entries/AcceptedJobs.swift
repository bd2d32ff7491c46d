//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension JournalEntry {
    /// Submitted jobs with consecutive ids. What their request was answered is an entry of its own, in the same row: jobs may be accepted
    /// for whom there is no request.
    public struct AcceptedJobs: Hashable, Sendable {
        /// The first id.
        public var first: JobID
        /// When they were accepted.
        public var acceptedAt: WallTime
        /// What the clock of ranks showed, in milliseconds since 1970: the place in line of each is that less what its priority is worth.
        public var rankTime: Int64
        /// On whose behalf.
        public var submitter: Submitter
        /// The loader that is to run them.
        public var loader: String
        /// How each is to be run.
        public var options: JobOptionsColumn
        /// Whether the outcomes are to be sent to the submitter's session by themselves.
        public var reportsOutcomes: Bool
        /// The argument of each job: as many as there are jobs.
        public var arguments: PackedBytes

        /// Jobs of one loader, one for each argument.
        public init(
            first: JobID, acceptedAt: WallTime, rankTime: Int64, submitter: Submitter, loader: String,
            options: JobOptionsColumn = JobOptionsColumn(), reportsOutcomes: Bool = false, arguments: PackedBytes
        ) {
            (self.first, self.acceptedAt, self.rankTime, self.submitter) = (first, acceptedAt, rankTime, submitter)
            (self.loader, self.options, self.reportsOutcomes, self.arguments) = (loader, options, reportsOutcomes, arguments)
        }
    }
}
