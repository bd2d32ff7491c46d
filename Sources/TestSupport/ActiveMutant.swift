//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// The mistake of `Scripts/mutate` that this process was started with.
public enum ActiveMutant {
    /// What a process that a test starts needs in its environment, so that it makes the same mistake; empty: none is injected.
    public static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { $0.key == "GANTRY_MUTANT" }
    }
}
