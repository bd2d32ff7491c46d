//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The kinds of identifier: phantom types that name what a number counts.
public enum IdentifierKind {
    /// Names one job.
    public enum Job {}
    /// Names one grant of one job.
    public enum Lease {}
    /// Names one client's conversation with the front.
    public enum Session {}
    /// Names one life of a worker process.
    public enum Worker {}
    /// Names one front installation.
    public enum Front {}
    /// Counts the lives of a front.
    public enum Epoch {}
    /// Counts the changes of a topic.
    public enum Sequence {}
    /// Counts the journal's rows.
    public enum Turn {}
    /// Counts the bundles of ended jobs.
    public enum Bundle {}
    /// Counts a session's requests.
    public enum Request {}
    /// Counts the attachments of workers to a front.
    public enum Registration {}
    /// Counts the renewals of one worker.
    public enum Renewal {}
    /// Names one transport peer during one life of the front.
    public enum Peer {}
    /// Names one failure, so that everybody dismisses and retries the same one.
    public enum Failure {}
    /// Counts the contents of a feed.
    public enum Version {}
}

/// One unit of work for a worker. Never used twice; its order is the order of acceptance.
public typealias JobID = Identifier<IdentifierKind.Job>
/// The only authority to report on a job: new for each grant and each re-attachment.
public typealias LeaseID = Identifier<IdentifierKind.Lease>
/// One client's numbered conversation with the front.
public typealias SessionID = Identifier<IdentifierKind.Session>
/// One life of a worker process, chosen at random by it.
public typealias WorkerID = Identifier<IdentifierKind.Worker>
/// One front installation: a new one is a new world for observers.
public typealias FrontID = Identifier<IdentifierKind.Front>
/// Which life of the front: max(last + 1, wall seconds), durable before any socket is bound.
public typealias Epoch = Identifier<IdentifierKind.Epoch>
/// Position in a topic's changes, counted from the topic's first use in an epoch.
public typealias Sequence = Identifier<IdentifierKind.Sequence>
/// Position of a row in the journal.
public typealias TurnNumber = Identifier<IdentifierKind.Turn>
/// Position of a bundle of ended jobs among all that were made, from 1.
public typealias BundleNumber = Identifier<IdentifierKind.Bundle>
/// Position of a request in its session, from 1.
public typealias RequestNumber = Identifier<IdentifierKind.Request>
/// Which attachment of a worker a grant belongs to.
public typealias RegistrationNumber = Identifier<IdentifierKind.Registration>
/// Which of a worker's renewals, from 1 and never used twice in its life.
public typealias RenewalNumber = Identifier<IdentifierKind.Renewal>
/// One connected peer of the transport; never used twice in one life of the front.
public typealias PeerID = Identifier<IdentifierKind.Peer>
/// One failure of a feed, a view or a job: the id of the job that failed.
public typealias FailureID = Identifier<IdentifierKind.Failure>
/// Version of a feed's content: raised by each change of content.
public typealias ContentVersion = Identifier<IdentifierKind.Version>
