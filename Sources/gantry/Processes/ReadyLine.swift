//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontService
import Model

/// What a process says when it is ready, as one line of JSON.
struct ReadyLine: Encodable {
    private let event = "ready"
    private let process: String
    private var epoch: String?
    private var endpoints: [String: String]?
    private var name: String?
    private var port: Int?
    private var data: String?

    init(_ ready: FrontReady) {
        process = "front"
        epoch = ready.epoch.description
        endpoints = [
            "requests": ready.endpoints.requests, "changes": ready.endpoints.changes, "workers": ready.endpoints.workers,
            "pages": ready.endpoints.pages,
        ]
    }

    init(worker name: String) {
        process = "worker"
        self.name = name
    }

    init(originPort: Int) {
        process = "origin"
        port = originPort
    }

    init(dataFolder: String, originPort: Int?) {
        process = "up"
        data = dataFolder
        port = originPort
    }

    /// The line, without its end.
    var json: String { JSONLine.text(self) }
}
