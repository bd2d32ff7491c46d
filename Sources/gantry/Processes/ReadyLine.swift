//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontService
import Model
import StateJSON

/// What a process says when it is ready, as one line of JSON.
struct ReadyLine {
    private let process: String
    private var epoch: String?
    private var endpoints: FrontEndpoints?
    private var name: String?
    private var port: Int?
    private var data: String?

    init(_ ready: FrontReady) {
        process = "front"
        epoch = ready.epoch.description
        endpoints = ready.endpoints
    }

    init(worker name: String) {
        process = "worker"
        self.name = name
    }

    init(sampleOriginPort: Int) {
        process = "sample-origin"
        port = sampleOriginPort
    }

    init(dataFolder: String, sampleOriginPort: Int?) {
        process = "up"
        data = dataFolder
        port = sampleOriginPort
    }

    /// The line, without its end.
    var json: String {
        let places = endpoints.map { places in
            JSONValue.object(
                ("changes", .string(places.changes)), ("pages", .string(places.pages)), ("requests", .string(places.requests)),
                ("workers", .string(places.workers)))
        }
        return JSONValue.object(
            ("data", data.map { .string($0) }), ("endpoints", places), ("epoch", epoch.map { .string($0) }), ("event", .string("ready")),
            ("name", name.map { .string($0) }), ("port", port.map { .whole($0) }), ("process", .string(process))
        ).text
    }
}
