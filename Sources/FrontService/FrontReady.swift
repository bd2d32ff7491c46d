//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Model

/// A front that serves: who it is and where it is reached.
public struct FrontReady: Hashable, Sendable {
    /// The installation.
    public var front: FrontID
    /// Its life.
    public var epoch: Epoch
    /// The addresses that are really bound.
    public var endpoints: FrontEndpoints

    public init(front: FrontID, epoch: Epoch, endpoints: FrontEndpoints) {
        self.front = front
        self.epoch = epoch
        self.endpoints = endpoints
    }
}
