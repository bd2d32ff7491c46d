//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel

/// Fills a cache on a small file system until it is full; the refused writer's room is free again, so adding goes on. Prints `passed` or what went
/// wrong.
@main
enum Probe {
    static func main() {
        do {
            print(try decision(root: (CommandLine.arguments.last ?? "") + "/objects"))
        } catch {
            print("unexpected \(error)")
        }
    }

    private static func decision(root: String) throws -> String {
        let cache = try FileCache(root: root)
        let whole = try cache.add([UInt8](repeating: 1, count: 100_000), durability: .persistent)
        let refusal = try fill(cache)
        guard refusal?.code == .full else { return "full disk reported as \(String(describing: refusal))" }
        guard try cache.verify(whole.digest) == whole else { return "the object from before changed" }
        let later = try cache.add([UInt8](repeating: 2, count: 1_000_000), durability: .persistent)
        return try cache.verify(later.digest) == later ? "passed" : "the object from after is not whole"
    }

    /// Writes more than there is room for; the writer and its temporary file are gone when this returns.
    private static func fill(_ cache: FileCache) throws -> FileCacheError? {
        let writer = try cache.makeBytesWriter(durability: .persistent)
        do throws(FileCacheError) {
            for number in 0..<64 { try writer.append([UInt8](repeating: UInt8(number), count: 100_000)) }
            _ = try writer.finish()
            return nil
        } catch { return error }
    }
}
