//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import CPowerCut
import Foundation
import GantryModel
import Journal

/// Writes a journal over a file system that forgets at a power cut what was not synced, cuts the power again and again at a call that
/// the seed chooses, and checks after each cut that every acknowledged turn is there, whole and without a hole.
///
///     PowerCutProbe FOLDER CUTS SEED
///
/// Prints `CUTS cuts, TURNS turns acknowledged, UNSYNCED files had lost writes` and ends with 0, or prints what was broken, with the cut's number,
/// and ends with 1; where it could not be tried it ends with 2.
@main
enum PowerCutProbe {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 4, let cuts = Int(words[2]), let seed = UInt64(words[3]) else {
            end(2, "usage: PowerCutProbe FOLDER CUTS SEED")
        }
        guard gantry_powercut_install() == 0 else { end(2, "SQLite does not take the file system") }
        var run = PowerCuts(folder: words[1], random: SplitMix64(mixing: seed))
        do {
            for cut in 1...cuts {
                do { try run.life() } catch { throw Broken("cut \(cut): \(error)") }
            }
            print("\(cuts) cuts, \(run.acknowledgedCount) turns acknowledged, \(run.unsyncedFileCount) files had lost writes")
        } catch {
            end(1, "broken: \(error)")
        }
    }

    private static func end(_ code: Int32, _ text: String) -> Never {
        print(text)
        exit(code)
    }
}

/// What a power cut has broken.
struct Broken: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
