//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import FrontCore
import FrontService
import GantryModel
import GantrySettings
import Logging
import StateFormatting
import Testing

@testable import gantry

@Suite("Lines of JSON")
struct JSONLineTests {
    @Test("a part says on one line that it is ready, in the order of the names")
    func ready() {
        #expect(ReadyLine(worker: "w\u{2028}1").json == #"{"event":"ready","name":"w\u20281","process":"worker"}"#)
        #expect(ReadyLine(drainingWorker: "w").json == #"{"event":"draining","name":"w","process":"worker"}"#)
        #expect(ReadyLine(sampleOriginPort: 7_711).json == #"{"event":"ready","port":7711,"process":"sample-origin"}"#)
        #expect(ReadyLine(dataFolder: "/a b", sampleOriginPort: nil).json == #"{"data":"/a b","event":"ready","process":"up"}"#)
        let places = FrontEndpoints(requests: "a", changes: "b", workers: "c", pages: "d")
        #expect(
            ReadyLine(FrontReady(front: FrontID(1), epoch: Epoch(2), endpoints: places)).json
                == #"{"endpoints":{"changes":"b","pages":"d","requests":"a","workers":"c"},"epoch":"2","event":"ready","process":"front"}"#)
    }

    @Test("a record of the log is on one line; no field takes the place of its time, level and name")
    func log() {
        let line = LogLine(
            at: Date(timeIntervalSince1970: 0), level: .info, label: "front", message: "a\nb", fields: ["at": "never", "z": "1"])
        #expect(line.json == #"{"at":"1970-01-01T00:00:00.000Z","level":"info","logger":"front","message":"a\nb","z":"1"}"#)
    }

    @Test("a configuration is read again as it was written, the built-in sample without a file")
    func configuration() throws {
        for source in [ConfigurationText(file: "/a/\"b\".yaml", text: "x: \t\u{1}\n\u{7F}é"), ConfigurationText(file: nil, text: "")] {
            #expect(try JSONDecoder().decode(ConfigurationText.self, from: Data(source.json.text.utf8)) == source)
        }
        #expect(ConfigurationText(file: nil, text: "v").json.text == #"{"text":"v"}"#)
    }

    @Test("the checks of doctor are a list, each with its state, and a next step where there is one")
    func doctor() throws {
        let effective = try EffectiveConfiguration.load(
            flags: .init(data: "/data"), environment: Environment(variables: [:], home: "/h", workingFolder: "/h"))
        let checks = [DoctorCheck(name: "a", state: .bad, detail: "b", nextStep: "c"), DoctorCheck(name: "d", state: .good, detail: "e")]
        let text = DoctorReport(effective, checks).json.text
        let items = #"[{"detail":"b","name":"a","nextStep":"c","state":"bad"},{"detail":"e","name":"d","state":"good"}]"#
        #expect(text.contains("\"checks\":{\"items\":\(items)}"), "\(text)")
        #expect(
            text.contains(#""http":{"connectTimeoutSeconds":5,"idleTimeoutSeconds":15,"maxBodyBytes":67108864,"totalTimeoutSeconds":60}"#))
    }
}
