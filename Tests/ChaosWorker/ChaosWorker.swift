//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryWorker
import Logging
import ServiceLifecycle
import UnixSignals

/// The worker of `Scripts/chaos`: every run of a job leaves a line at its start and one at its end in a file that the front knows nothing of.
///
///     ChaosWorker ENDPOINT NAME SLOTS LEDGER [GRACE]
///
/// GRACE is how many milliseconds jobs have once it drains.
///
/// Its loaders `stamp` (may be repeated) and `stamp-once` (may not) take a number of milliseconds and wait that long. `spin` never gives its thread back for
/// as long, `resume` saves its argument and waits for ever, and returns what an earlier attempt has saved, `child` waits as long for a process of its own, and heeds nothing else, and `later` asks so many times to be run again,
/// and `flaky` fails so many attempts of a hundred.
@main
enum ChaosWorker {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard 5...6 ~= arguments.count, let slots = Int(arguments[3]), arguments.dropFirst(5).allSatisfy({ Int($0) != nil }) else {
            throw WorkerError(code: .systemFailed, context: "usage: ChaosWorker ENDPOINT NAME SLOTS LEDGER [GRACE]")
        }
        let ledger = try RunLedger(path: arguments[4])
        var configuration = WorkerConfiguration(endpoint: arguments[1], name: arguments[2], slots: slots)
        if let grace = arguments.dropFirst(5).first.flatMap({ Int($0) }) { configuration.grace = .milliseconds(grace) }
        let worker = try Worker(
            configuration,
            loaders: [
                StampLoader(name: "stamp", repeatable: .yes, ledger: ledger),
                StampLoader(name: "stamp-once", repeatable: .no, ledger: ledger), SpinLoader(ledger: ledger), ChildLoader(ledger: ledger),
                LaterLoader(), ResumingLoader(ledger: ledger), FlakyLoader(),
            ])
        // One that somebody drains returns by itself.
        let service = ServiceGroupConfiguration.ServiceConfiguration(service: worker, successTerminationBehavior: .gracefullyShutdownGroup)
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "chaos"))
        ).run()
    }
}
