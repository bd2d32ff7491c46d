//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import TestSupport
import Testing

extension EndToEnd {
    /// Processes that were started alone end when they are told to, also in a container.
    @Suite("Stopping front and worker", .serialized, .timeLimit(.minutes(10)))
    struct StopTests {
        /// "At once" is as soon as the job is given back, which `SignaledServiceTests` bounds in time and a third signal cuts short.
        @Test("a second signal ends a worker that drains with a job of ten minutes: the job goes back to the queue, and the code is 0")
        func secondSignal() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let worker = try await scenario.serve("worker", "--slots", "1", "--name", "first")
            let observer = try await Observer.start(scenario, ["jobs", "workers"])
            let job = try await scenario.gantry("job", "submit", "sleep", "--argument", "600000").output
            try await observer.read("a running job") { $1.contains("\"state\":\"running\"") }
            worker.send(.interrupt)
            try await observer.read("a draining worker") { $1.contains("\"state\":\"draining\"") }
            // Another one, for two of the same kind that come at once are one.
            worker.send(.terminate)
            #expect(try await worker.exit() == .exited(code: 0))
            try await observer.read("a waiting job") { change, line in change.topic == "jobs" && line.contains("\"waiting\":1") }
            let shown = try await scenario.gantry("job", "show", job, "--output", "json").json()
            #expect(shown["state"] as? String == "waiting")
            front.send(.interrupt)
            #expect(try await front.exit() == .exited(code: 0))
        }

        @Test("a second signal ends a front at once that does not come to its end, and the next one has what it had accepted")
        func secondSignalToFront() async throws {
            let scenario = try Scenario()
            let first = try await scenario.serve("front")
            let job = try await scenario.gantry("job", "submit", "noop").output
            first.send(.interrupt)
            #expect(try await first.exit() == .exited(code: 0))
            // Another objects folder has the next front say a line once it listens to signals. Then the full pipe that it was given holds it up.
            try FileManager.default.removeItem(atPath: scenario.data + "/objects")
            let command = """
                mkfifo full; exec 4<>full; dd if=/dev/zero of=full oflag=nonblock bs=4096 count=4096 2>/dev/null
                exec gantry front --ready-fd 3 3>full 2>&1
                """
            let front = try await scenario.start(program: "/bin/sh", ["-c", command])
            _ = try await front.line("the new folder") { $0.contains("is not the one of before") }
            front.send(.interrupt)
            _ = try await front.line("the first signal's answer") { $0.hasSuffix("Ctrl-C again ends it at once") }
            front.send(.terminate)
            #expect(try await front.exit() == .exited(code: 143))
            let next = try await scenario.serve("front")
            #expect(try await scenario.gantry("job", "show", job, "--output", "json").json()["state"] as? String == "waiting")
            next.send(.interrupt)
            #expect(try await next.exit() == .exited(code: 0))
        }

        @Test("timeout, whose signal comes twice, drains a worker: the running job ends")
        func timeout() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let command = "exec timeout 3 gantry worker --slots 1 --name patient 2>&1"
            let worker = try await scenario.start(program: "/bin/sh", ["-c", command])
            let job = try await scenario.gantry("job", "submit", "sleep", "--argument", "5000", "--wait").output
            let answer = try await scenario.end(of: worker)
            // The code is that of timeout for a time that was over.
            #expect(answer.code == 124 && answer.output.contains("draining") && !answer.output.contains("ending:"), "\(answer.output)")
            #expect(job.contains("succeeded"), "\(job)")
            front.send(.interrupt)
            _ = try await front.exit()
        }

        @Test("drain of a stopped worker without jobs says that it has not ended; it ends when it goes on")
        func stoppedWorker() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let worker = try await scenario.serve("worker", "--name", "stopped")
            worker.send(.stop)
            let answer = try await scenario.gantry("worker", "drain", "stopped", code: 3)
            #expect(answer.errors.contains("worker stopped was lost and has not ended"), "\(answer.errors)")
            worker.send(.continue)
            #expect(try await worker.exit() == .exited(code: 0))
            front.send(.interrupt)
            #expect(try await front.exit() == .exited(code: 0))
        }

        @Test("a worker that is told to end as soon as it was started ends")
        func early() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let command = """
                for pause in 0.004 0.008 0.012 0.016 0.020 0.024 0.028 0.032; do
                    gantry worker --name early & sleep $pause; kill $!; wait $!; echo "$?"
                done
                """
            let answer = try await scenario.end(of: scenario.start(program: "/bin/sh", ["-c", command]))
            #expect(answer.lines.count == 8 && answer.lines.allSatisfy { ["0", "143"].contains($0) }, "\(answer.lines)")
            front.send(.interrupt)
            _ = try await front.exit()
        }

        @Test("a front that ends because of a signal does not die of the same one that comes again meanwhile")
        func repeated() async throws {
            let scenario = try Scenario()
            let command = """
                mkfifo ready
                for run in 1 2 3 4 5; do
                    gantry front --ready-fd 3 3>ready & read line <ready
                    for again in $(seq 1000); do kill $!; done; wait $!; echo "$?"
                done
                """
            let answer = try await scenario.end(of: scenario.start(program: "/bin/sh", ["-c", command]))
            #expect(answer.lines == ["0", "0", "0", "0", "0"], "\(answer.lines)")
        }

        @Test("a closed standard stream is nothing that is opened later: what is written there goes nowhere")
        func closedStreams() async throws {
            let scenario = try Scenario()
            let command = """
                mkfifo ready; gantry front --ready-fd 3 3>ready 0<&- 1>&- 2>&- & read line <ready
                for number in 0 1 2; do readlink /proc/$!/fd/$number; done; kill $!; wait $!; echo "$?"
                """
            let answer = try await scenario.end(of: scenario.start(program: "/bin/sh", ["-c", command]))
            #expect(answer.lines == ["/dev/null", "/dev/null", "/dev/null", "0"], "\(answer.lines)")
        }

        @Test("a worker says once that it is ready, however often fronts take it")
        func readyOnce() async throws {
            let scenario = try Scenario()
            let first = try await scenario.serve("front")
            let worker = try await scenario.start("worker", "--name", "loyal", "--ready-fd", "1")
            _ = try await worker.line("ready") { $0.contains("\"event\":\"ready\"") }
            first.send(.kill)
            _ = try await first.exit()
            let second = try await scenario.serve("front")
            let observer = try await Observer.start(scenario, ["workers"])
            try await observer.read("the worker at the second front") { $1.contains("\"name\":\"loyal\"") }
            worker.send(.interrupt)
            let answer = try await scenario.end(of: worker)
            #expect(answer.code == 0 && answer.lines.isEmpty, "\(answer.lines)")
            second.send(.interrupt)
            _ = try await second.exit()
        }

        @Test("as process 1 of a container a worker that stops with a running job is ended by the kernel, and the container with its code")
        func container() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let (container, worker) = try await startContainer(scenario)
            let observer = try await Observer.start(scenario, ["jobs"])
            try await scenario.gantry("job", "submit", "sleep", "--argument", "600000")
            try await observer.read("a running job") { $1.contains("\"state\":\"running\"") }
            let end = try ProcessControl.exitDescriptor(of: worker)
            try ProcessControl.send(.stop, to: worker)
            let hasEnded = try await onOwnThread { [number = end.rawValue] in
                try NumberedDescriptor.waitReadable(number, upTo: .seconds(30))
            }
            #expect(hasEnded, "the kernel did not end the stopped worker")
            _ = end
            if !hasEnded { container.send(.kill) }
            #expect(try await scenario.end(of: container).code == 137)
            front.send(.interrupt)
            _ = try await front.exit()
        }

        @Test("a container's SIGTERM drains its worker, and the container ends with its code")
        func containerEnds() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            let (container, worker) = try await startContainer(scenario)
            let first = try #require(Self.children(of: container.process).first)
            #expect(first != worker, "the worker itself is process 1")
            #expect(try String(contentsOfFile: "/proc/\(worker)/comm", encoding: .utf8) == "gantry\n")
            try ProcessControl.send(.terminate, to: first)
            #expect(try await scenario.end(of: container).code == 0)
            front.send(.interrupt)
            _ = try await front.exit()
        }

        @Test("Ctrl-\\ ends a front at once, without the report of a crash")
        func quit() async throws {
            let scenario = try Scenario()
            let front = try await scenario.serve("front")
            front.send(.quit)
            #expect(try await front.exit() == .signaled(.quit))
            #expect(!front.errors.contains("crash") && !front.errors.contains("Fatal"), "\(front.errors)")
        }

        @Test("Ctrl-C of a measurement ends its processes and removes their folder")
        func measurement() async throws {
            let measurement = try await Measurement()
            measurement.bench.send(.interrupt)
            #expect(try await measurement.bench.exit() == .exited(code: 130))
            #expect(measurement.bench.errors.contains("stopped: nothing was measured; "), "\(measurement.bench.errors)")
            #expect(measurement.hasGone)
        }

        @Test("a measurement whose front dies ends with an error that names it, and starts no other front")
        func measuredFrontDies() async throws {
            let measurement = try await Measurement()
            try ProcessControl.send(.kill, to: measurement.front)
            #expect(try await measurement.bench.exit() == .exited(code: 3))
            #expect(measurement.bench.errors.contains("front was ended by signal 9 while it was measured"), "\(measurement.bench.errors)")
            #expect(measurement.hasGone)
        }

        /// `gantry bench jobs` with its processes at work.
        private struct Measurement {
            let scenario: Scenario
            let bench: Running
            /// Its folder.
            let folder: String
            let front: ProcessID

            init() async throws {
                scenario = try Scenario()
                bench = try await scenario.start(
                    "bench", "jobs", "--durability", "memory", "--jobs", "5000000", "--folder", scenario.folder)
                folder = "\(scenario.folder)/gantry-bench-\(bench.process)"
                let observer = Observer(
                    try await scenario.start("watch", "jobs", "--connect", folder, "--timeout", "60s", "--output", "jsonl"))
                try await observer.read("the measurement under way") { change, _ in change.verified }
                observer.running.send(.kill)
                let holder = try String(contentsOfFile: folder + "/front.lock", encoding: .utf8).split(separator: "\n").first
                front = try #require(holder.flatMap { Int32($0) }.flatMap { ProcessID(rawValue: $0) })
            }

            /// Whether neither folder nor front are there any more.
            var hasGone: Bool {
                !FileManager.default.fileExists(atPath: folder) && !FileManager.default.fileExists(atPath: "/proc/\(front)")
            }
        }

        /// A worker in a PID namespace of its own, and the process there that works.
        private func startContainer(_ scenario: Scenario) async throws -> (container: Running, worker: ProcessID) {
            let arguments = ["--pid", "--fork", "--kill-child", Scenario.gantry, "worker", "--slots", "1", "--ready-fd", "1"]
            let container = try await scenario.start(program: "/usr/bin/unshare", arguments)
            _ = try await container.line("ready (is unshare --pid possible here?)") { $0.contains("\"event\":\"ready\"") }
            var worker = container.process
            while let child = Self.children(of: worker).first { worker = child }
            return (container, worker)
        }

        private static func children(of parent: ProcessID) -> [ProcessID] {
            let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
            return numbers.sorted().compactMap { number in
                let status = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)
                let line = status?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
                return line?.split(separator: "\t").last.flatMap { Int32($0) } == parent.rawValue ? ProcessID(rawValue: number) : nil
            }
        }
    }
}
