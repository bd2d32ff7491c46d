//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Testing

extension EndToEndCommands {
    /// What gantry stands on is wrong: the configuration, ports, folders, the disk, another front.
    @Suite("Bad input: places", .serialized, .timeLimit(.minutes(10)))
    struct BadPlaceTests {
        @Test("a configuration with mistakes is refused by every process that reads it, with its line")
        func configuration() async throws {
            let scenario = try Scenario()
            try scenario.write("gantry.yaml", "version: 1\nfeeds:\n  a: { item: { id: /id }, sorce: none }\n")
            for command in ["up", "front", "worker", "doctor"] {
                let answer = try await scenario.gantry(command, code: 78)
                #expect(answer.errors.contains("gantry.yaml:3: unknown key \"sorce\""), "\(answer.errors)")
                #expect(answer.errors.contains("did you mean \"source\"?"))
                #expect(answer.errors.contains("gantry doctor") == (command != "doctor"), "\(answer.errors)")
            }
        }

        @Test("a taken port is named with the option that chooses another, and up ends what it had started")
        func portInUse() async throws {
            let scenario = try Scenario()
            let origin = try await scenario.origin()
            let port = String(origin.port)
            let answer = try await scenario.gantry("sample-origin", "--port", port, code: 9)
            #expect(answer.errors.contains("127.0.0.1:\(port)") && answer.errors.contains("another with --port,"))
            let up = try await scenario.gantry("up", "--sample-origin-port", port, code: 9)
            #expect(up.errors.contains("127.0.0.1:\(port)") && up.errors.contains("another with --sample-origin-port,"), "\(up.errors)")
            try await scenario.gantry("status", "--timeout", "300ms", code: 7)
        }

        @Test("an origin on port 0 chooses a free one, which up names, the built-in sample follows, and a restart keeps")
        func chosenPort() async throws {
            let scenario = try Scenario()
            let command = "exec gantry up --sample-origin-port 0 --ready-fd 1 --parent $PPID 2>&1"
            let up = try await scenario.start(program: "/bin/sh", ["-c", command])
            let address = try await up.line("the origin's address") { $0.hasPrefix("sample-origin: http://127.0.0.1:") }
            let started = try await up.line("the origin's process") { $0.hasPrefix("sample-origin: ready (process ") }
            let ready = try await up.line("ready") { $0.contains("\"event\":\"ready\"") }
            let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
            #expect(port > 0 && ready.contains("\"port\":\(port)"), "\(ready)")
            try await scenario.gantry("feed", "load", "products")
            let number = started.split(whereSeparator: { !$0.isNumber }).last.flatMap { Int32($0) }
            try ProcessControl.send(.kill, to: try #require(number.flatMap { ProcessID(rawValue: $0) }))
            #expect(try await up.line("its address after a restart") { $0.hasPrefix("sample-origin: http://") } == address)
            try await scenario.gantry("feed", "refresh", "products")
            up.send(.interrupt)
            _ = try await up.exit()
            try await scenario.gantry("up", "--without", "sample-origin", "--sample-origin-port", "0", code: 64)
            try await scenario.gantry("up", "--sample-origin-port", "65536", code: 64)
        }

        @Test("without a front a command says so and how to start one")
        func noFront() async throws {
            let scenario = try Scenario()
            let failure = try await scenario.gantry("feed", "load", "items", "--output", "json", "--timeout", "300ms", code: 7).failure()
            #expect(failure.code == "notConnected" && failure.nextStep.contains("gantry up"), "\(failure)")
            let slip = try await scenario.gantry("status", "--data", scenario.folder + "/none", "--timeout", "300ms", code: 7)
            #expect(slip.errors.contains("there is no folder \(scenario.folder)/none"), "\(slip.errors)")
            #expect(slip.errors.contains("--data, GANTRY_DATA"), "\(slip.errors)")
            // Where there never was one, none is waited for.
            for words in [["status"], ["job", "submit", "noop", "--wait"]] {
                let atOnce = try await scenario.run(words + ["--data", scenario.folder + "/none"])
                #expect(atOnce.code == 7 && atOnce.errors.contains("no front to ask: there is no folder"), "\(atOnce.errors)")
            }
        }

        @Test("a data folder that others may write is refused by the front, and by doctor in the front's own words")
        func sharedFolder() async throws {
            let scenario = try Scenario()
            let folder = scenario.folder + "/shared"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
            let front = try await scenario.gantry("front", "--data", folder, code: 73)
            #expect(front.errors.contains("next:  gantry doctor --data \(folder)\n"), "\(front.errors)")
            #expect(front.errors.contains("others may write \(folder); run chmod go-w \(folder)\n"), "\(front.errors)")
            let doctor = try await scenario.gantry("doctor", "--data", folder, code: 73)
            let reason = front.errors.split(separator: "\n").first { $0.hasPrefix("error: ") }?.dropFirst("error: ".count)
            #expect(doctor.output.contains("bad   data folder: \(reason ?? "")"), "\(doctor.output)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            try await scenario.gantry("doctor", "--data", folder)
        }

        @Test("a data folder where none can be made, a time that nothing can take and a zero byte end front, up and doctor alike")
        func refusedAlike() async throws {
            let scenario = try Scenario()
            for command in ["front", "up", "doctor"] {
                let answer = try await scenario.gantry(command, "--data", "/proc/gantry/data", code: 73)
                #expect(answer.errors.contains("making the folder /proc/gantry: "), "\(command): \(answer.errors)")
            }
            let advised = try await scenario.gantry("doctor", "--data", "/proc/gantry/data", code: 73)
            #expect(advised.errors.contains("next:  choose another with --data\n"), "\(advised.errors)")
            for (text, fault) in [
                (
                    "version: 1\nhttp: { timeout: { total: 99999999999d } }\n",
                    "gantry.yaml:2: http.timeout.total \"99999999999d\" is not between 1ms and 365d"
                ),
                ("version: 1\nslots: 2\n\0", "gantry.yaml:3: there is a zero byte"),
            ] {
                try scenario.write("gantry.yaml", text)
                for command in ["front", "worker", "up", "doctor"] {
                    let answer = try await scenario.gantry(command, code: 78)
                    #expect(answer.errors.contains(fault) && answer.errors.contains("next:"), "\(command): \(answer.errors)")
                }
            }
        }

        @Test("doctor says of a damaged journal what the front says, changes nothing in it, and leaves one alone that a front works on")
        func damagedJournal() async throws {
            let scenario = try Scenario()
            #expect(try await scenario.gantry("doctor").output.contains("ok    journal: none yet\n"))
            let front = try await scenario.serve("front")
            for _ in 0..<3 { try await scenario.gantry("job", "submit", "noop") }
            #expect(try await scenario.gantry("doctor").output.contains("ok    journal: in use by process \(front.process)\n"))
            front.send(.kill)
            _ = try await front.exit()
            let folder = scenario.data + "/journal"
            let before = try files(in: folder)
            #expect(try await scenario.gantry("doctor").output.contains("ok    journal: can be read\n"))
            #expect(try files(in: folder) == before)
            // The head of the file alone would not tell: the rows of this life are in the file beside it.
            let wal = folder + "/journal.sqlite-wal"
            var bytes = try #require(FileManager.default.contents(atPath: wal))
            for index in bytes.indices where index >= bytes.count / 4 && index < bytes.count / 4 + 4_096 { bytes[index] = 0x55 }
            try bytes.write(to: URL(fileURLWithPath: wal))
            let refused = try await scenario.gantry("front", code: 73).errors
            let reason = try #require(refused.split(separator: "\n").first { $0.hasPrefix("error: ") }?.dropFirst("error: journal ".count))
            let damaged = try files(in: folder)
            let doctor = try await scenario.gantry("doctor", code: 73)
            #expect(doctor.output.contains("bad   journal: \(reason)\n"), "\(doctor.output)")
            #expect(try files(in: folder) == damaged)
        }

        /// The content of each file of a journal's folder but the reserve, which has none.
        private func files(in folder: String) throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "ballast" }
            return Dictionary(uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data()) })
        }

        @Test("doctor beside a front says where the data folder's name comes from, not how the front was told")
        func originOfFolder() async throws {
            let scenario = try Scenario()
            try scenario.write("gantry.yaml", "version: 1\n")
            // Nothing in this file needs the sample origin, so that its port may be anybody's.
            let (up, ready) = try await scenario.serve(["up", "--workers", "1"])
            #expect(ready["port"] == nil)
            #expect(try await scenario.gantry("doctor").output.contains("\(scenario.data) (environment)\n"))
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("doctor knows a front whose descriptors are not its own")
        func descriptorsOfFront() async throws {
            let scenario = try Scenario()
            let front = try await scenario.start(program: "/bin/sh", ["-c", "exec gantry front --ready-fd 9 --parent $PPID 9>&1 2>&1"])
            _ = try await front.line("ready") { $0.contains("\"event\":\"ready\"") }
            let found = try await scenario.gantry("doctor").output
            #expect(found.contains("ok    front: runs as process \(front.process)") && !found.contains("not known"), "\(found)")
            front.send(.interrupt)
            _ = try await front.exit()
        }

        @Test("doctor shows what a running front was started with, and says when the file says something else by now")
        func editedFile() async throws {
            let scenario = try Scenario()
            try scenario.write("gantry.yaml", "version: 1\nslots: 3\n")
            let up = try await scenario.serve("up", "--workers", "1")
            let fresh = try await scenario.gantry("doctor").output
            #expect(fresh.contains("with 3 slots") && fresh.contains("ok    front: runs as process"), "\(fresh)")
            try scenario.write("gantry.yaml", "version: 1\nslots: 5\n")
            let edited = try await scenario.gantry("doctor").output
            #expect(edited.contains("with 3 slots") && edited.contains("/gantry.yaml has changed since"), "\(edited)")
            #expect(edited.contains("end gantry up and start it again"), "\(edited)")
            up.send(.interrupt)
            _ = try await up.exit()
            #expect(try await scenario.gantry("doctor").output.contains("with 5 slots"))
            try scenario.write("data/front.lock", "\(ProcessControl.currentID)\n")
            #expect(try await scenario.gantry("doctor").output.contains("ok    front: does not run here"))
            let again = try await scenario.serve("up", "--workers", "1")
            #expect(try await scenario.gantry("doctor").output.contains("ok    front: runs as process"))
            try scenario.write("gantry.yaml", "version: [\n")
            try scenario.write("other.yaml", "version: 1\n")
            let broken = try await scenario.gantry("doctor", "--config", "other.yaml").output
            let fault = "could not be started again: \(scenario.folder)/gantry.yaml"
            #expect(broken.contains("with 5 slots") && broken.contains(fault), "\(broken)")
            try FileManager.default.removeItem(atPath: "\(scenario.folder)/gantry.yaml")
            let gone = try await scenario.gantry("doctor").output
            #expect(gone.contains("with 5 slots") && gone.contains(fault), "\(gone)")
            try FileManager.default.removeItem(atPath: "\(scenario.data)/run/started-with.json")
            let unknown = try await scenario.gantry("doctor").output
            #expect(unknown.contains("what it was started with is not known"), "\(unknown)")
            #expect(unknown.contains("; restore its file, or end the front and start it again"), "\(unknown)")
            again.send(.interrupt)
            _ = try await again.exit()
        }

        @Test("doctor finds no fault with a front on the built-in sample whose origin listens at another port")
        func otherPort() async throws {
            let scenario = try Scenario()
            let (up, ready) = try await scenario.serve(["up", "--workers", "1", "--sample-origin-port", "0"])
            let answered = try await scenario.gantry("doctor").output
            #expect(answered.contains("ok    front: runs as process"), "\(answered)")
            #expect(answered.contains("127.0.0.1:\(try #require(ready["port"] as? Int))/items"), "\(answered)")
            up.send(.interrupt)
            _ = try await up.exit()
        }

        @Test("a worker without a front says what it waits for, and a client of a feed that is not loaded names the whole key")
        func waitingWorker() async throws {
            let scenario = try Scenario()
            let worker = try await scenario.start(program: "/bin/sh", ["-c", "exec gantry worker 2>&1"])
            #expect(
                try await worker.line("what it waits for") { $0.contains("worker: waits for a front at ipc://\(scenario.data)") } != "")
            let front = try await scenario.serve("front")
            let unseen = try await scenario.gantry("feed", "items", "items?count=1", code: 6)
            #expect(unseen.errors.contains("gantry feed load 'items?count=1&parameter=sample'"), "\(unseen.errors)")
            worker.send(.terminate)
            _ = try await worker.exit()
            front.send(.terminate)
            _ = try await front.exit()
        }

        @Test("a cache folder that is none is named by the worker that cannot use it")
        func cacheFolder() async throws {
            let scenario = try Scenario()
            try FileManager.default.createDirectory(atPath: scenario.data, withIntermediateDirectories: true)
            try scenario.write("data/objects", "a file")
            for command in ["worker", "front"] {
                let answer = try await scenario.gantry(command, code: 73)
                #expect(
                    answer.errors.contains("\(scenario.data)/objects") && answer.errors.contains("next:"), "\(command): \(answer.errors)")
            }
            #expect(try await scenario.gantry("up", "--without", "sample-origin", code: 73).errors.contains("\(scenario.data)/objects"))
        }

        @Test("a second front on the same data is refused, and the first goes on")
        func secondFront() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let job = try await scenario.gantry("job", "submit", "noop").output
            let answer = try await scenario.gantry("front", code: 9)
            #expect(answer.errors.contains(scenario.data) && answer.errors.contains("next:"), "\(answer.errors)")
            #expect(try await scenario.gantry("job", "show", job, "--output", "json").json()["state"] as? String == "waiting")
            front.send(.terminate)
            #expect(try await front.exit() == .exited(code: 0))
        }
    }
}
