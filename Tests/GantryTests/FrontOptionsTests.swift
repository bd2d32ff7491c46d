//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import TestSupport
import Testing

@testable import gantry

@Suite("Options of commands that ask a front")
struct FrontOptionsTests {
    @Test("a front is waited for as long as --timeout says, and for its own time without it")
    func timeout() throws {
        let options = try FrontOptions.parse(["--timeout", "60s"]).clientOptions("x", resyncs: true)
        #expect(options.connectTimeout == .seconds(60) && options.requestTimeout == .seconds(60))
        let short = try FrontOptions.parse(["--timeout", "300ms"]).clientOptions("x", resyncs: true)
        #expect(short.connectTimeout == .milliseconds(300))
        let own = try FrontOptions.parse([]).clientOptions("x", resyncs: true)
        #expect(own.connectTimeout == ClientOptions().connectTimeout)
    }

    @Test("the label of a command's session says that its number is a process, and fits into a label whatever the machine is called")
    func label() {
        let label = ClientOptions(command: "job submit").label
        #expect(label.hasPrefix("job submit (process ") && label.contains(" on ") && label.hasSuffix(")"))
        #expect(ClientOptions(command: String(repeating: "x", count: 100)).label.utf8.count == 64)
    }

    @Test(
        "a time without a unit, none at all, and what is no time, say what is missing",
        arguments: [("5", "it has no unit"), ("soon", "a unit"), ("0s", "not between 1ms and 365d"), ("366d", "1ms and 365d")])
    func units(text: String, reason: String) {
        let error = #expect(throws: (any Error).self) { try FrontOptions.parse(["--timeout", text]) }
        let message = error.map { FrontOptions.message(for: $0) } ?? ""
        #expect(message.contains(reason) && message.contains("write for example 250ms or 5s"), "\(message)")
    }

    @Test("who is not let in over TCP is told which front asks for its token, and how to give it")
    func token() throws {
        let environment = Environment(variables: [:], home: "/nonexistent", workingFolder: "/nonexistent")
        let place = try FrontPlace.find(connect: "tcp://127.0.0.1:7701", data: "/nonexistent/data", environment: environment)
        let failure = CommandFailure(ClientError(ClientErrorCode(.notAuthorized), "the token is not that of this front"), at: place)
        #expect(failure.status == .notConnected && failure.code.rawValue == "notAuthorized")
        #expect(
            failure.message == "the front at tcp://127.0.0.1:7701 asks for its token, and there is none at /nonexistent/data/run/token")
        #expect(failure.nextStep == "add --data FOLDER, the data folder of that front")
        #expect(CommandFailure(ClientError(.closed, "closed"), at: place) == CommandFailure(ClientError(.closed, "closed")))
    }

    @Test("where no front answers, a folder that is not there, or is none, is told with how to name another")
    func folder() throws {
        let environment = Environment(variables: [:], home: "/nonexistent", workingFolder: "/nonexistent")
        let empty = try TemporaryFolder()
        let error = ClientError(.notConnected, "no front answered", nextStep: "start one")
        let message = CommandFailure(error).message
        let faults = [
            "/nonexistent/data": "; there is no folder /nonexistent/data", "/dev/null": "; /dev/null is no folder",
            empty.path: "; no front has ever worked in \(empty.path)",
        ]
        for (path, fault) in faults {
            let failure = CommandFailure(error, at: try FrontPlace.find(data: path, environment: environment))
            #expect(failure.message == message + fault && failure.nextStep == "start one" && failure.status == .notConnected)
        }
        let remote = try FrontPlace.find(connect: "tcp://127.0.0.1:7701", data: "/nonexistent/data", environment: environment)
        #expect(CommandFailure(error, at: remote) == CommandFailure(error))
    }

    @Test("where no front was ever started none is waited for, unless --timeout says how long")
    func atOnce() throws {
        let folder = try TemporaryFolder()
        let options = try FrontOptions.parse([])
        let patient = try FrontOptions.parse(["--timeout", "60s"])
        func failure(_ path: String, _ options: FrontOptions) throws -> CommandFailure? {
            let environment = Environment(variables: [:], home: "/nonexistent", workingFolder: "/nonexistent")
            return options.failureAtOnce(at: try FrontPlace.find(data: path, environment: environment))
        }
        for (path, lack) in [
            (folder.path + "/none", "there is no folder \(folder.path)/none"), (folder.path, "no front has ever worked in \(folder.path)"),
        ] {
            let found = try failure(path, options)
            #expect(found?.message == "no front to ask: \(lack)" && found?.status == .notConnected)
            #expect(found?.nextStep.hasPrefix("start one with `gantry up`, or wait for one with --timeout") == true)
            #expect(try failure(path, patient) == nil)
        }
        try Data().write(to: URL(fileURLWithPath: folder.path + "/front.lock"))
        #expect(try failure(folder.path, options) == nil)
        // Sockets, or a copy of what a front had kept.
        for name in ["run", "journal"] {
            let other = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: "\(other.path)/\(name)", withIntermediateDirectories: false)
            #expect(try failure(other.path, options) == nil)
        }
        let remote = try FrontPlace.find(
            connect: "tcp://127.0.0.1:7701", data: "/nonexistent/data",
            environment: Environment(variables: [:], home: "/nonexistent", workingFolder: "/nonexistent"))
        #expect(options.failureAtOnce(at: remote) == nil)
    }

    @Test("who may not reach a front's sockets is told whose they are and not to start one, however long a wait was asked for")
    func keptOut() throws {
        let environment = Environment(variables: [:], home: "/nonexistent", workingFolder: "/nonexistent")
        let place = try FrontPlace.find(data: "/srv/gantry", environment: environment)
        func barrier(_ there: Set<String>, closed: Set<String>) -> String? {
            let access = FileAccess(
                isThere: { there.contains($0) }, mayEnter: { !closed.contains($0) }, mayWrite: { !closed.contains($0) },
                owner: { "owner of \($0)" })
            let found = place.barrier(access)
            #expect(found.map { $0.owner == "owner of \($0.path)" } ?? true)
            return found?.path
        }
        let folders: Set<String> = ["/srv", "/srv/gantry", "/srv/gantry/run"]
        let socket = "/srv/gantry/run/requests"
        for path in folders { #expect(barrier(folders.union([socket]), closed: [path]) == path) }
        #expect(barrier(folders.union([socket]), closed: [socket]) == socket)
        #expect(barrier(folders.union([socket]), closed: []) == nil && barrier(folders, closed: [socket]) == nil)
        #expect(barrier(["/srv"], closed: ["/srv/gantry"]) == nil)
        let remote = try FrontPlace.find(connect: "tcp://127.0.0.1:7701", data: "/srv/gantry", environment: environment)
        #expect(remote.barrier() == nil)
        // A file is no folder, whatever its mode, and is told as that.
        #expect(try FrontPlace.find(data: "/dev/null", environment: environment).barrier() == nil)
        let failure = CommandFailure.keptOut(by: "/srv/gantry/run", of: "nobody else")
        #expect(failure.message == "/srv/gantry/run belongs to nobody else, and this user may not use it")
        #expect(failure.nextStep.hasPrefix("run the command as that user") && !failure.isRetryable)
        #expect(failure.status == .notConnected && failure.code.rawValue == "notAuthorized")
        #expect(CommandFailure.keptOut(by: "/x y", of: NSUserName()).nextStep == "chmod u+rwx '/x y'")
    }

    @Test(
        "commands of all nouns say at once that there is no front",
        arguments: [["status"], ["watch"], ["job", "list"], ["feed", "list"]])
    func commands(words: [String]) throws {
        let answer = try ProgramRun(words + ["--data", "/nowhere"])
        #expect(answer.exit == .exited(code: 7), "\(answer.errors)")
        #expect(answer.errors.hasPrefix("error: no front to ask: there is no folder /nowhere\nnext:  start one with "), "\(answer.errors)")
    }

    @Test("advice to run doctor names the places that the command was given")
    func doctor() throws {
        let failure = CommandFailure(.cannotWrite, code: .cannotWrite, message: "x", thenDoctor: true)
        let command = try FrontServiceCommand.parse(["--data", "/tmp/a b", "--config", "g.yaml"])
        #expect(failure.advising(for: command).nextStep == "gantry doctor --config g.yaml --data '/tmp/a b'")
        #expect(failure.advising(for: try FrontServiceCommand.parse([])).nextStep == "gantry doctor")
        let longer = CommandFailure(
            .configuration, code: .internal, message: "x", nextStep: "correct it, then check with:", thenDoctor: true)
        #expect(longer.advising(for: command).nextStep == "correct it, then check with: gantry doctor --config g.yaml --data '/tmp/a b'")
        // What another program or machine is told to run is no advice for this place.
        let other = CommandFailure(.failed, code: .internal, message: "x", nextStep: "on that machine run gantry doctor")
        #expect(other.advising(for: command) == other)
        // It sends nobody to itself.
        let own = try DoctorCommand.parse(["--data", "/x"])
        #expect(failure.advising(for: own).nextStep.isEmpty && longer.advising(for: own).nextStep == "correct it")
    }

    @Test("the commands that are advised with a front's options are those of the tree that ask one")
    func tree() {
        let all = GantryCommand.configuration.subcommands
        func names(_ commands: [any ParsableCommand.Type]) -> Set<String> { Set(commands.compactMap { $0.configuration.commandName }) }
        #expect(AdvisedCommand.clients == names(all.filter { $0 is any FrontCommand.Type }))
        let groups = all.filter { $0.configuration.subcommands.contains { $0 is any FrontCommand.Type } }
        #expect(AdvisedCommand.groups == names(groups))
    }

    @Test("each command that is advised asks the front that was asked")
    func advised() throws {
        func step(_ options: [String], _ advice: String) throws -> String {
            let command = try JobShow.parse(["7"] + options)
            return CommandFailure(.failed, code: .internal, message: "x", nextStep: advice).advising(for: command).nextStep
        }
        #expect(try step([], "gantry job list") == "gantry job list")
        #expect(
            try step(["--data", "/a b"], "gantry job wait 7, or gantry job cancel 7")
                == "gantry job wait --data '/a b' 7, or gantry job cancel --data '/a b' 7")
        #expect(try step(["--connect", "/x"], "gantry feed load items") == "gantry feed load --data /x items")
        #expect(
            try step(["--connect", "tcp://127.0.0.1:7701", "--data", "/x"], "gantry status")
                == "gantry status --connect tcp://127.0.0.1:7701 --data /x")
        // A word of it alone, another program's command and one that names its place are left.
        for other in ["gantry up", "add --data FOLDER", "agantry job list", "the gantry jobs", "gantry worker-of"] {
            #expect(try step(["--data", "/x"], other) == other)
        }
        #expect(try step(["--data", "/x"], "gantry worker list") == "gantry worker list --data /x")
        #expect(try step(["--data", "/x"], "gantry worker") == "gantry worker --data /x")
        #expect(try step(["--connect", "tcp://127.0.0.1:7701"], "gantry worker") == "gantry worker")
        #expect(try step(["--data", "/x"], FrontStatus.workerStep).contains("gantry worker run --data /x, or start gantry up again"))
        #expect(try step(["--connect", "tcp://127.0.0.1:7701"], FrontStatus.workerStep) == FrontStatus.workerStep)
    }
}
