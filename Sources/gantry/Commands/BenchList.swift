//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import StateJSON

/// `gantry bench list`: a large list is loaded, sorted and read in pages.
struct BenchList: GantrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Measure a large list: load, sort, pages at its start, middle and end, and the processes' memory.",
        discussion: "Example: gantry bench list --items 100000")

    @Option(name: .long, help: "How many items, up to 1,000,000.")
    var items = 1_000_000
    @Option(name: .long, help: "How many pages are read at each place.")
    var pages = 300
    @Option(name: .long, help: "Items on a page.")
    var pageSize: UInt32 = 50
    @OptionGroup var place: BenchPlace
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        guard (1...1_000_000).contains(items), pages > 0, (1...1_000).contains(pageSize) else {
            throw ValidationError("items is 1 to 1000000, pages at least 1, page-size 1 to 1000")
        }
    }

    func run() async throws {
        let report = try await ListMeasurement(items: items, pages: pages, pageSize: pageSize).run(in: place.folder)
        try printing.line(printing.isJSON ? report.json.text : report.line)
    }
}
