//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// Names one call of the client's user, so that its answer finds the way back. Chosen by the user of the loop, never sent.
public typealias CallID = Identifier<CallIDKind>

/// The phantom kind of a ticket.
public enum CallIDKind {}
