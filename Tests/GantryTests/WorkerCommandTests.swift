//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import GantryFileCache
import GantryModel
import GantryWorker
import StateFormatting
import TestSupport
import Testing

@testable import gantry

@Suite("What gantry worker takes and prints")
struct WorkerCommandTests {
    private func worker(_ id: UInt64, _ name: String) -> WorkerSummary { WorkerSummary(id: WorkerID(id), name: name, slots: 4) }

    @Test("alone it runs a worker, with the options of run")
    func alone() throws {
        let alone = try GantryCommand.parseAsRoot(["worker", "--slots", "3"]) as? WorkerRun
        let named = try GantryCommand.parseAsRoot(["worker", "run", "--slots", "3"]) as? WorkerRun
        #expect(alone?.slots == 3 && named?.slots == 3)
        #expect(try GantryCommand.parseAsRoot(["worker", "list"]) is WorkerList)
    }

    @Test("the grace is a length of at most a day, and what becomes of running jobs is said before it happens")
    func grace() throws {
        #expect(try (GantryCommand.parseAsRoot(["worker", "run", "--grace", "90s"]) as? WorkerRun)?.grace?.duration == .seconds(90))
        #expect(try (GantryCommand.parseAsRoot(["worker", "--grace", "24h"]) as? WorkerRun)?.grace?.duration == .seconds(86_400))
        for wrong in ["25h", "soon", "-1s"] {
            #expect(throws: (any Error).self, "\(wrong)") { try GantryCommand.parseAsRoot(["worker", "run", "--grace", wrong]) }
        }
        #expect(
            Worker.stopNotice(grace: .seconds(30))
                == "draining: it takes no new jobs, and running ones have 30 s to end; then those that may run again go back to the queue, and of "
                + "the others the outcome is unknown; Ctrl-C again stops them now")
        for help in [WorkerRun.helpMessage(columns: 1_000), WorkerDrain.helpMessage(columns: 1_000), UpCommand.helpMessage(columns: 1_000)]
        {
            #expect(help.contains("go back to the queue") && help.contains("outcome is unknown"), "\(help)")
        }
        #expect(WorkerDrain.draining.contains("go back to the queue") && WorkerDrain.draining.contains("the outcome is unknown"))
    }

    @Test("the table names each worker's id whole, also at a narrow terminal; there the loaders stand below, elsewhere in a column")
    func table() {
        var long = worker(.max, "worker-1")
        long.loaders = ["http", "list", "noop", "sleep", "spin"]
        let narrow = WorkerList.table([long, worker(5, "b")], columns: 72).split(separator: "\n")
        #expect(narrow.count == 4 && narrow[1].contains("18446744073709551615") && narrow[2].contains("http list noop sleep spin"))
        #expect(narrow[3].hasPrefix("b         5  "))
        // A worker that has named no process is not process 0.
        #expect(narrow[3].split(separator: " ").last == "-" && worker(5, "b").processText == "-")
        let wide = WorkerList.table([long], columns: nil).split(separator: "\n")
        #expect(wide.count == 2 && wide[1].hasSuffix("http list noop sleep spin"))
        let pauses = [Pause(.worker("b"), by: "", reason: "new disk", since: WallTime(milliseconds: 0))]
        let paused = WorkerList.table([long, worker(5, "b")], pauses, columns: nil).split(separator: "\n")
        let listed = JSONValue.workers([long, worker(5, "b")], paused: pauses).text
        #expect(listed.ranges(of: #""pause":{"worker":"b","reason":"new disk""#).count == 1, "\(listed)")
        #expect(paused.count == 4 && paused[3].contains("the worker b is paused: new disk"), "\(paused)")
    }

    @Test("a pause of a group that no loader is in is listed with the loaders all the same: its feeds do not load")
    func feedPauses() {
        func pause(_ loaders: [String], _ feeds: [String]) -> Pause {
            Pause(
                .group("shop"), by: "ops", reason: "", since: WallTime(milliseconds: 0),
                members: GroupMembers(loaders: Set(loaders), feeds: Set(feeds)))
        }
        #expect(LoaderList.feedPauses([pause([], ["b", "a"])]) == ["of feeds only: the group shop is paused by ops (a, b)"])
        let all = Pause(.everything, by: "", reason: "", since: WallTime(milliseconds: 0))
        #expect(LoaderList.feedPauses([pause(["sleep"], ["a"]), all]) == [])
    }

    @Test("the help says that alone it starts a worker")
    func help() { #expect(WorkerCommand.helpMessage(columns: 1_000).contains("it does not print this help but starts a worker")) }

    @Test("a worker is meant by its id or its name; none and several are refused with the next step")
    func named() throws {
        let workers = [worker(5, "a"), worker(6, "b"), worker(7, "b")]
        #expect(try WorkerArgument.parse(["a"]).worker(among: workers).id == WorkerID(5))
        #expect(try WorkerArgument.parse(["7"]).worker(among: workers).id == WorkerID(7))
        let none = #expect(throws: CommandFailure.self) { try WorkerArgument.parse(["c"]).worker(among: workers) }
        #expect(none?.status == .notFound && none?.nextStep == "gantry worker list")
        let several = #expect(throws: CommandFailure.self) { try WorkerArgument.parse(["b"]).worker(among: workers) }
        #expect(several?.status == .conflict && several?.nextStep == "name one by its id: 6, 7")
    }

    @Test("show prints the state, the slots, the leases, the loaders and the jobs, and fits its schema")
    func shown() throws {
        var busy = worker(5, "a")
        (busy.slotsTaken, busy.prefetched, busy.loaders, busy.processID) = (1, 2, ["http", "list"], 77)
        let job = JobSummary(id: JobID(9), loader: "http", state: .running, acceptedAt: nil)
        let shown = ShownWorker(worker: busy, jobs: [job])
        #expect(
            shown.text == """
                a: live, 1 of 4 slots taken, 2 bulk jobs ahead, 3 leases
                  id       5
                  process  77
                  loaders  http list
                  job      9: \(job.line())
                """)
        #expect(try SchemaFolder().faults(of: shown.json.text, by: "workerDetail") == [])
        let pause = Pause(.worker("a"), by: "cli", reason: "new disk", since: WallTime(milliseconds: 0))
        let paused = ShownWorker(worker: busy, jobs: [], pause: pause)
        #expect(paused.text.contains("\n  pause    \(pause.line)") && paused.json.text.contains(#""reason":"new disk""#))
        #expect(try SchemaFolder().faults(of: paused.json.text, by: "workerDetail") == [])
    }

    @Test("a worker that went without jobs and does not come back has drained; any other end is a failure that says what is known")
    func drainEnds() {
        var last = worker(5, "a")
        #expect(DrainEnd(of: last, mayComeBack: false).failure(of: "a") == nil)
        let idle = DrainEnd(of: last, mayComeBack: true).failure(of: "a")
        #expect(idle?.message == "worker a was lost and has not ended")
        #expect(idle?.nextStep == "look at its process; if it comes back it gets no jobs and ends" && idle?.status == .failed)
        last.slotsTaken = 2
        let waiting = ": of the 2 jobs that it held those that may be repeated wait for another one"
        #expect(DrainEnd(of: last, mayComeBack: true).failure(of: "a")?.message == "worker a was lost and has not ended" + waiting)
        let dead = DrainEnd(of: last, mayComeBack: false).failure(of: "a")
        #expect(dead?.message == "worker a ended before it had drained" + waiting && dead?.nextStep == "gantry job list")
    }

    @Test("what drain prints for programs")
    func drained() {
        #expect(WorkerDrain.json(worker(5, "a"), "ended").text == #"{"worker":"5","name":"a","state":"ended"}"#)
    }
}

@Suite("What gantry cache prints")
struct CachedObjectTests {
    @Test("an age is in the largest unit that fills once")
    func age() {
        let object = CachedObject(
            object: StoredObject(
                digest: ObjectDigest(words: (1, 2, 3, 4)), byteCount: 5, addedAt: WallTime(milliseconds: 1_000)))
        let ages = [1_000, 60_900, 61_000, 3_601_000, 90_000_000].map { object.age(at: WallTime(milliseconds: $0)) }
        #expect(ages == ["0 s", "59 s", "1 min", "1 h", "1 d"])
        #expect(object.age(at: WallTime(milliseconds: 0)) == "0 s")
    }
}
