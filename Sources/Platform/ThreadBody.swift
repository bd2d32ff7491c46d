//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Carries a closure through the C call that starts a thread.
final class ThreadBody: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    func run() {
        body()
    }
}
