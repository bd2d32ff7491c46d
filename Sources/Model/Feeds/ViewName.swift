//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Names of views that mean something to everybody.
public enum ViewName {
    /// Everybody's view of a feed, whose order is made together with the content.
    public static let shared = "shared"
}
