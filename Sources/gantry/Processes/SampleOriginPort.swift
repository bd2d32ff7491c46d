//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Synchronization

/// Where the sample origin of `up` listens: what was asked for, then what the origin chose and keeps over its restarts.
final class SampleOriginPort: Sendable {
    private let port: Mutex<Int>

    init(_ port: Int) { self.port = Mutex(port) }

    /// The port; 0: not chosen yet.
    var value: Int { port.withLock { $0 } }

    /// Takes the port from what a process says when it is ready, if that names one.
    func note(readyLine: [UInt8]) {
        struct Line: Decodable { var port: Int? }
        guard let chosen = (try? JSONDecoder().decode(Line.self, from: Data(readyLine)))?.port else { return }
        port.withLock { $0 = chosen }
    }
}
