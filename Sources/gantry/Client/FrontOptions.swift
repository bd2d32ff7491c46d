//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Client
import Foundation
import Platform
import Settings

/// Which front, how to print, how long: for every command that asks a front for something.
struct FrontOptions: ParsableArguments {
    @OptionGroup var connection: ConnectOptions
    @OptionGroup var printing: OutputOptions

    @Option(name: .long, help: "How long to wait in all, for example 30s; then the code is 5. The work itself goes on.")
    var timeout: TimeLimit?

    /// Opens a session, runs `body` and says goodbye. Ctrl-C only takes this client away: the work goes on.
    func withClient(
        _ verb: String, role: String = "request", heals: Bool = true, _ body: @escaping @Sendable (GantryClient) async throws -> Void
    )
        async throws
    {
        let endpoints = try connection.endpoints()
        var options = ClientOptions(label: "\(verb) \(ProcessControl.currentID) on \(HostInformation.name)")
        options.role = role
        options.heals = heals
        if let timeout {
            options.requestTimeout = timeout.duration
            options.connectTimeout = min(options.connectTimeout, timeout.duration)
        }
        do {
            let client = try await GantryClient(connect: Endpoint(address: endpoints.requests), options: options)
            let notices = Task { [printing] in
                var told = FrontAvailability.answering
                for await availability in client.availabilityChanges where availability != told {
                    told = availability
                    printing.notice(availability.line)
                }
            }
            defer { notices.cancel() }
            let result: Result<Void, any Error>
            do {
                try await Interruption.detaching { try await body(client) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await client.close()
            try result.get()
        } catch let error as ClientError {
            throw CommandFailure(error)
        }
    }

    /// Prints one value: as a line for people, or as JSON.
    func show(_ json: @autoclosure () -> String, _ text: @autoclosure () -> String) throws {
        try printing.line(printing.isJSON ? json() : text())
    }

    /// Prints a list: a table for people, one JSON object, or one JSON line for each item.
    func show(items: [String], json: @autoclosure () -> String, table: @autoclosure () -> String) throws {
        switch printing.output {
        case .table: try printing.line(table())
        case .json: try printing.line(json())
        case .jsonl: for item in items { try printing.line(item) }
        }
    }
}
