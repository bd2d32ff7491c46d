//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@Suite("Options of jobs")
struct JobOptionsTests {
    private static func priorities(_ numbers: [UInt8]) -> [JobOptions] { numbers.map { JobOptions(priority: $0) } }

    @Test("a priority is 0 to 9, what is beyond is named", arguments: [0, 9, 10, 255] as [UInt8])
    func priority(_ priority: UInt8) {
        #expect(JobOptions(priority: priority).fault == (priority <= 9 ? nil : "a priority is 0 to 9, not \(priority)"))
    }

    @Test("8 tags of 64 bytes are taken, one more and one longer are named")
    func tags() {
        let long = String(repeating: "x", count: 63)
        let most = JobOptions(tags: (0..<8).map { "\($0)" + long })
        #expect(most.fault == nil && most.byteCount == 512 && most.byteCount <= MessageBounds.optionsByteCount)
        #expect(JobOptions(tags: most.tags + ["x"]).fault == "a job has at most 8 tags, not 9")
        #expect(JobOptions(tags: ["a", long + "xx"]).fault == "a tag has 1 to 64 bytes, not 65")
        // Bytes, not characters.
        #expect(JobOptions(tags: [String(repeating: "é", count: 33)]).fault == "a tag has 1 to 64 bytes, not 66")
        #expect(JobOptions(tags: [String(repeating: "é", count: 32), "long words", "a=b", "über/α"]).fault == nil)
    }

    @Test(
        "an empty tag, one with a comma or a control character, and one twice are no tags",
        arguments: zip(
            [[""], ["a", "b,c"], ["a\n"], ["\u{7F}"], ["\u{9B}31m"], ["\0"], ["a", "b", "a"]],
            [
                "a tag has 1 to 64 bytes, not 0", "a tag has no comma, unlike \"b,c\"", "a tag has no control characters",
                "a tag has no control characters", "a tag has no control characters", "a tag has no control characters",
                "a job has each tag once, not \"a\" twice",
            ]))
    func badTags(_ tags: [String], _ fault: String) {
        #expect(JobOptions(tags: tags).fault == fault)
        #expect(JobQuery(tags: tags).fault == fault)
        #expect(JobOptionsColumn([JobOptions(), JobOptions(tags: tags)]).fault(ofJobs: 2) == fault)
    }

    @Test("a job's end in time is no part of its size without one, is said in its line, and makes another request of it")
    func ending() {
        #expect(MemoryLayout<JobOptions>.size <= 128)
        let time = WallTime(milliseconds: 1_795_254_000_000)
        let options = JobOptions(expiresAt: time, totalTimeout: .seconds(3_600))
        #expect(options.line == "priority 5, expires at \(time.rfc3339) unless started, at most 3600 s in all", "\(options.line)")
        #expect(options.lasting == options && options.shared == options && options.fault == nil)
        #expect(JobOptions(start: .at(time), expiresAt: time).fault?.contains("let it expire later") == true)
        var plain = options
        (plain.expiresAt, plain.totalTimeout) = (nil, nil)
        #expect(plain == JobOptions())
        // "In ten minutes" is the same work whenever it is said.
        let prints = [JobOptions(), JobOptions(totalTimeout: .seconds(3_600)), options].map { UniqueKey.fingerprint(of: [], $0) }
        #expect(prints[0] != prints[1] && prints[1] == prints[2])
    }

    @Test("a secret argument takes no room in the options, is said in their line, and makes another request of them")
    func secretArgument() {
        let options = JobOptions(hasSecretArgument: true)
        #expect(MemoryLayout<JobOptions>.size <= 128 && options.fault == nil && options.byteCount == 0)
        #expect(options.line == "priority 5, a secret argument" && options.lasting == options && options.shared == options)
        #expect(UniqueKey.fingerprint(of: [], options) != UniqueKey.fingerprint(of: [], JobOptions()))
    }

    @Test("an attempt may take 1 ms to 30 days, and the options say so")
    func attemptTimeout() {
        for (length, isRight) in [(1, true), (0, false), (-1, false), (2_592_000_000, true), (2_592_000_001, false)] as [(Int64, Bool)] {
            #expect((JobOptions(attemptTimeout: .milliseconds(length)).fault == nil) == isRight, "\(length)")
        }
        #expect(JobOptions(attemptTimeout: .seconds(30)).line == "priority 5, each attempt at most 30 s")
    }

    @Test(
        "a unique key has 1 to 128 bytes that can be shown, and stays taken for at most 30 days, and not at all once its job has started",
        arguments: [
            (UniqueKey(""), "a unique key has 1 to 128 bytes, not 0"), (UniqueKey("k"), nil),
            (UniqueKey(String(repeating: "é", count: 64), afterEnd: .seconds(30 * 86_400)), nil),
            (UniqueKey(String(repeating: "é", count: 65)), "a unique key has 1 to 128 bytes, not 130"),
            (UniqueKey("a\u{9B}31m"), "a unique key has no control characters"),
            (UniqueKey(" k"), "a unique key has no blank at its ends, unlike \" k\""),
            (UniqueKey("k", afterEnd: .seconds(30 * 86_400 + 1)), "a unique key stays taken for at most 30 days after the end of its job"),
            (UniqueKey("k", afterEnd: .seconds(-1)), "a unique key stays taken for at most 30 days after the end of its job"),
            (UniqueKey("k", mode: .untilStarted), nil),
            (
                UniqueKey("k", mode: .untilStarted, afterEnd: .milliseconds(1)),
                "a unique key that is free once its job has started does not stay taken after the end"
            ),
            (UniqueKey("k", debounce: Debounce(quiet: .milliseconds(1))), nil),
            (UniqueKey("k", debounce: Debounce(quiet: .seconds(30 * 86_400))), nil),
            (UniqueKey("k", debounce: Debounce(quiet: .zero, longest: .seconds(1))), "a debounced key is to be quiet for 1 ms to 30 days"),
            (UniqueKey("k", debounce: Debounce(quiet: .seconds(30 * 86_400 + 1))), "a debounced key is to be quiet for 1 ms to 30 days"),
            (
                UniqueKey("k", debounce: Debounce(quiet: .seconds(2), longest: .seconds(1))),
                "the longest wait of a debounced job is at least the quiet time of its key (2 s) and at most 30 days"
            ),
            (UniqueKey("k", mode: .debounce), "a debounced key says how long it is to be quiet, and no other key does"),
        ] as [(UniqueKey, String?)])
    func uniqueKeys(_ key: UniqueKey, _ fault: String?) {
        #expect(key.fault == fault && JobOptions(uniqueKey: key).fault == fault)
        #expect(JobOptionsColumn(JobOptions(uniqueKey: key)).fault(ofJobs: 1) == fault)
        #expect(JobOptions(uniqueKey: key).byteCount == key.text.utf8.count)
    }

    @Test("a job with a unique key is submitted alone")
    func alone() {
        let unique = JobOptions(uniqueKey: UniqueKey("k"))
        #expect(JobOptionsColumn(unique).fault(ofJobs: 3) == "a job with a unique key is submitted alone, not with 2 others")
        #expect(
            JobOptionsColumn([JobOptions(), unique]).fault(ofJobs: 2) == "a job with a unique key is submitted alone, not with 1 others")
        #expect(unique.lasting.uniqueKey == UniqueKey("k") && unique.shared == JobOptions() && JobOptionsColumn(unique).hasUniqueKeys)
    }

    @Test("work under a key is told apart by its argument and each option, and not by what it repeats")
    func fingerprints() {
        let key = UniqueKey("k")
        let base = JobOptions(uniqueKey: key)
        func print(_ options: JobOptions, _ argument: [UInt8] = [1]) -> UInt64 { UniqueKey.fingerprint(of: argument, options) }
        #expect(print(base) == print(JobOptions(retryOf: JobID(7), uniqueKey: key)))
        // The configuration of the front may add such a one.
        #expect(print(base) == print(JobOptions(limitKeys: [LimitKey("a")], uniqueKey: key)))
        #expect(print(JobOptions(uniqueKey: UniqueKey("\u{E9}"))) == print(JobOptions(uniqueKey: UniqueKey("e\u{301}"))))
        let others = [
            print(base, [2]), print(base, []), print(base, [1, 0]), print(JobOptions(priority: 6, uniqueKey: key)),
            print(JobOptions(tags: ["a"], uniqueKey: key)), print(JobOptions(start: .after(.seconds(1)), uniqueKey: key)),
            print(JobOptions(retry: RetryRule(attempts: 2), uniqueKey: key)),
            print(JobOptions(retry: RetryRule(codes: [.never(after: .busy)]), uniqueKey: key)),
            print(JobOptions(retry: RetryRule(codes: [CodeRetryRule(.busy, attempts: 2)]), uniqueKey: key)),
            print(JobOptions(retry: RetryRule(codes: [CodeRetryRule(.busy, backOff: BackOff(first: .seconds(2)))]), uniqueKey: key)),
            print(JobOptions(limitKeys: [LimitKey("a", value: "b")], uniqueKey: key)),
            print(JobOptions(limitKeys: [LimitKey("a", weight: 2)], uniqueKey: key)),
            print(JobOptions(uniqueKey: UniqueKey("k", mode: .replace))),
            print(JobOptions(uniqueKey: UniqueKey("k", afterEnd: .seconds(1)))),
            print(JobOptions(uniqueKey: UniqueKey("k", debounce: Debounce(quiet: .seconds(1))))),
            print(JobOptions(uniqueKey: UniqueKey("k", debounce: Debounce(quiet: .seconds(1), longest: .seconds(2))))),
        ]
        #expect(Set(others + [print(base)]).count == others.count + 1)
    }

    @Test("people are told of the priority, and of tags where there are some")
    func lines() {
        #expect(JobOptions().line == "priority 5")
        #expect(JobOptions(priority: 9, tags: ["a"]).line == "priority 9, tag a")
        #expect(JobOptions(tags: ["b", "a"]).line == "priority 5, tags b, a")
        #expect(JobOptions(uniqueKey: UniqueKey("k")).line == "priority 5, unique key \"k\" until it has ended")
        #expect(UniqueKey("k", mode: .untilStarted).line == "unique key \"k\" until it has started")
        #expect(
            UniqueKey("k", mode: .replace, afterEnd: .seconds(2)).line
                == "unique key \"k\" until it has ended and 2 s more, replaced before its first start")
    }

    @Test("the longest wait of a debounced job is ten times the quiet time unless given, at most 30 days; it has no start of its own")
    func debounce() {
        #expect(Debounce(quiet: .seconds(5)).longest == .seconds(50))
        #expect(Debounce(quiet: .seconds(20 * 86_400)).longest == .seconds(30 * 86_400))
        let key = UniqueKey("k", debounce: Debounce(quiet: .seconds(5), longest: .seconds(60)))
        #expect(key.mode == .debounce && key.debounce == Debounce(quiet: .seconds(5), longest: .seconds(60)))
        #expect(
            key.line == "unique key \"k\" until it has started, debounced: at most 60 s, once nobody has submitted for 5 s", "\(key.line)")
        #expect(JobOptions(uniqueKey: key).firstStart == .after(.seconds(5)) && JobOptions().firstStart == .now)
        for start in [JobStart.after(.seconds(1)), .at(WallTime(milliseconds: 1))] {
            #expect(
                JobOptions(start: start, uniqueKey: key).fault
                    == "a debounced job starts once its key was quiet: leave its delay or its time out, or the debounce")
        }
        #expect(MemoryLayout<UniqueKey>.size <= 48)
    }

    @Test("the same for all take no index, and the usual ones no entry")
    func uniform() {
        #expect(JobOptionsColumn().distinct.isEmpty && JobOptionsColumn() == JobOptionsColumn([]))
        #expect(JobOptionsColumn(JobOptions()) == JobOptionsColumn(distinct: [JobOptions()], indexes: []))
        let column = JobOptionsColumn(Self.priorities([3, 3, 3]))
        #expect(column == JobOptionsColumn(JobOptions(priority: 3)))
        #expect(column.indexes.isEmpty && column[0].priority == 3 && column[70_000].priority == 3)
    }

    @Test("each job has its own, different ones are kept once, and rows beside each other make a run")
    func rows() {
        let numbers: [UInt8] = [5, 5, 9, 0, 0, 9]
        let column = JobOptionsColumn(Self.priorities(numbers))
        #expect(column.distinct == Self.priorities([5, 9, 0]))
        #expect(numbers.indices.map { column[$0].priority } == numbers)
        #expect(column.runs(of: 6).map(\.rows) == [0..<2, 2..<3, 3..<5, 5..<6])
        #expect(column.runs(of: 6).map(\.options.priority) == [5, 9, 0, 9])
        #expect(JobOptionsColumn().runs(of: 6).map(\.rows) == [0..<6])
        #expect(JobOptionsColumn().runs(of: 0).map(\.rows) == [])
        #expect(column[2..<5] == JobOptionsColumn(Self.priorities([9, 0, 0])))
        #expect(column[3..<5] == JobOptionsColumn(JobOptions(priority: 0)))
    }

    @Test("joined, each job keeps its own", arguments: [[], [5, 5], [9, 9], [9, 5, 0]], [[5], [9], [9, 0, 1]] as [[UInt8]])
    func joined(_ first: [UInt8], _ second: [UInt8]) {
        var column = JobOptionsColumn(Self.priorities(first))
        column.append(JobOptionsColumn(Self.priorities(second)), count: second.count, after: first.count)
        #expect(column == JobOptionsColumn(Self.priorities(first + second)))
        #expect((first + second).indices.map { column[$0].priority } == first + second)
        #expect(column.fault(ofJobs: first.count + second.count) == nil)
    }

    @Test("an index that names nothing makes no column, and one for each job is needed or none")
    func indexes() {
        #expect(JobOptionsColumn(distinct: Self.priorities([1, 2]), indexes: [0, 2]) == nil)
        #expect(JobOptionsColumn(distinct: [], indexes: [0]) == nil)
        let column = JobOptionsColumn(distinct: Self.priorities([1, 2]), indexes: [0, 1])
        #expect(column?.fault(ofJobs: 2) == nil)
        #expect(column?.fault(ofJobs: 3) == "options are named 2 times for 3 jobs")
        // Whoever asks beyond them is answered all the same.
        #expect(column?[2].priority == 1 && column?.runs(of: 4).map(\.rows) == [0..<1, 1..<2, 2..<4])
        #expect(
            JobOptionsColumn(distinct: Self.priorities([1, 200]), indexes: [0, 0])?.fault(ofJobs: 2) == "a priority is 0 to 9, not 200")
    }

    @Test("256 different ones fit a message, and no more join them")
    func bound() {
        // That they cannot be is not asked here.
        let all = JobOptionsColumn(Self.priorities(Array(0...255)))
        #expect(all.distinct.count == MessageBounds.distinctOptions)
        var some = JobOptionsColumn(Self.priorities(Array(0...254)))
        #expect(some.hasRoom(for: JobOptionsColumn(JobOptions(priority: 7))))
        #expect(some.hasRoom(for: all) && all.hasRoom(for: some) && all.hasRoom(for: JobOptionsColumn()))
        some = JobOptionsColumn(distinct: all.distinct + [JobOptions()], indexes: []) ?? all
        #expect(some.fault(ofJobs: 1) == "jobs submitted together have at most 256 different options, not 257")
    }
}
