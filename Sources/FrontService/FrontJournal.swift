//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// A journal as the front's process needs it: beside what its loop does with it, it is started, named and closed.
public protocol FrontJournal: TurnJournal {
    /// The front installation that the journal belongs to, made when the journal was.
    var frontID: FrontID { get }
    /// This life of the front; durable since the journal is open.
    var epoch: Epoch { get }
    /// Starts the journal's thread, once everything is restored.
    ///
    /// - Parameter onEvent: Called on that thread after each event; it returns at once.
    func start(onEvent: @escaping @Sendable () -> Void) throws
    /// Ends the thread after what was handed over, and waits for that. Nothing is called afterwards.
    func close() throws
}
