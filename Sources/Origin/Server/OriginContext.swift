//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Hummingbird
import NIOCore

/// The context of a request: what Hummingbird keeps, and the connection.
struct OriginContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}
