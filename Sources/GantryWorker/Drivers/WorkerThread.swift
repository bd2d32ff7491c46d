//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryAuditRecord
import GantryModel
import GantryPlatform
import GantryWire
import GantryZMQ
import Logging

/// The body of the loop's thread: makes socket, timer and loop there, and turns it until it ends.
struct WorkerThread: Sendable {
    let configuration: WorkerConfiguration
    let loaders: [any Loader]
    let bulkLoaders: [any BulkLoader]
    let inbox: WorkerInbox
    let logger: Logger
    /// Receives what happens, for people: this thread never waits for a terminal or a pipe, or it could not renew.
    let note: @Sendable (WorkerNote) -> Void

    func run() -> Result<Void, WorkerError> {
        do throws(WorkerError) {
            return .success(try WorkerError.wrapping { try turnUntilTheEnd() })
        } catch {
            return .failure(error)
        }
    }

    private func turnUntilTheEnd() throws {
        let context = try Context()
        let transport = try SocketTransport(context: context, endpoint: configuration.endpoint, signal: inbox.signal)
        let worker = WorkerID(max(try SystemRandom.next(), 1))
        let recorder = StartRecorder(
            configuration.recordFolder.map {
                RecordWriter(folder: $0, writer: RecordWriterName(.worker, worker.rawValue), label: configuration.name)
            },
            note: { note(.unrecorded(worker, reason: $0)) })
        let runner = LoaderRunner(loaders: loaders, bulkLoaders: bulkLoaders, inbox: inbox, logger: logger, recorder: recorder)
        var settings = WorkerSettings(
            worker: worker, name: configuration.name,
            processID: UInt32(truncatingIfNeeded: ProcessControl.currentID), slots: configuration.slots, prefetch: configuration.prefetch,
            loaders: runner.declarations)
        settings.stopTimes = runner.stopTimes
        settings.grace = configuration.usedGrace
        (settings.secret, settings.token) = (try Self.makeSecret(), configuration.token)
        settings.process = Self.process(number: settings.processID)
        var loop = WorkerLoop(
            settings: settings, transport: transport, runner: runner, clock: try SystemWorkerClock(), codec: WireCodec())
        do {
            try turn(&loop)
            try transport.linger()
        } catch {
            // The timer stays armed while this waits: work that does not end in time ends with the process.
            runner.cancelAll()
            var reports: [WorkReport] = []
            while runner.isRunning {
                runner.takeReports(into: &reports)
                reports.removeAll()
                if runner.isRunning { try transport.waitForSignal() }
            }
            throw error
        }
    }

    /// This process; nil where the kernel does not give it: the front then notices its end only by the lease.
    private static func process(number: UInt32) -> ProcessIdentity? {
        guard let namespace = try? HostInformation.processNamespace(), let start = try? HostInformation.processStart() else { return nil }
        return ProcessIdentity(namespace: namespace, number: number, start: start)
    }

    private static func makeSecret() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<4 {
            let word = try SystemRandom.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }

    /// Says what a drain comes to, as each cause of it begins.
    private func note(drain machine: WorkerMachine, _ outlook: inout DrainOutlook?) {
        guard machine.drainOutlook != outlook else { return }
        outlook = machine.drainOutlook
        if let outlook { note(.draining(machine.worker, outlook)) }
    }

    private func turn(_ loop: inout WorkerLoop<SocketTransport, LoaderRunner, SystemWorkerClock, WireCodec>) throws {
        var registrationNumber = RegistrationNumber.none
        var epoch = Epoch.none
        var refusal: Refused?
        var isEnding = false
        var outlook: DrainOutlook?
        while true {
            switch try loop.turn() {
            case .goesOn:
                if !isEnding, let job = loop.machine.endsBecauseOf {
                    isEnding = true
                    note(.cannotStop(loop.machine.worker, job))
                }
                note(drain: loop.machine, &outlook)
                // The same reason again is no news.
                if refusal != loop.machine.refusal {
                    refusal = loop.machine.refusal
                    if let refusal { note(.refused(loop.machine.worker, refusal)) }
                }
                guard loop.machine.registrationNumber != registrationNumber || loop.machine.epoch != epoch else { continue }
                (registrationNumber, epoch) = (loop.machine.registrationNumber, loop.machine.epoch)
                note(.registered(loop.machine.worker, epoch))
            case .finished:
                note(drain: loop.machine, &outlook)
                // Whoever watches over it starts another in its place.
                if let job = loop.machine.endsBecauseOf {
                    let context = "worker \(configuration.name) ends because job \(job) did not stop in its loader's time"
                    throw WorkerError(
                        code: .workNotStopped, context: context,
                        nextStep: "let that loader heed its cancel, or give it more time to stop")
                }
                note(.ended(loop.machine.worker))
                return
            case .refused(let reason):
                throw WorkerError(code: .refused, context: "the front refuses worker \(configuration.name): \(reason)")
            }
        }
    }
}
