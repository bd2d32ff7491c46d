//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Platform

/// Whoever reads what this program prints, as the next command of a shell's pipe.
enum OutputReader {
    /// Waits until nobody reads standard output any more, which else only the next line that is written would tell. Of what is no pipe it is
    /// not known: then, and when the task is cancelled, it never is so.
    /// - Returns: whether the reader has gone.
    static func hasGone() async -> Bool {
        // The writing end of a pipe has nothing to read, so what wakes is its other end's going. A socket or terminal wakes for input.
        let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/1")
        guard name?.hasPrefix("pipe:") == true else { return await never() }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        do {
            // It lasts as long as the process, which ends soon after whoever waits here.
            _ = try startThread(name: "output reader") {
                while let hasGone = try? NumberedDescriptor.waitReadable(1, upTo: .seconds(3_600)) {
                    if hasGone { return _ = end.yield() }
                }
            }
        } catch {
            return await never()
        }
        return await ends.first { _ in true } != nil
    }

    private static func never() async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        defer { end.finish() }
        return await ends.first { _ in true } != nil
    }
}
