//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

@Suite("Lines of jobs")
struct JobLineTests {
    @Test("a job is put before another one, or at the end, and taken out anywhere")
    func order() {
        var slab = JobSlab()
        var line = JobLine()
        for id in UInt64(1)...5 {
            slab.insert(JobRecord(id: id))
        }
        for (id, behind) in [(1, 0), (2, 0), (3, 1), (4, 2), (5, 0)] as [(UInt64, UInt64)] {
            line.insert(id, .lane, before: behind, in: &slab)
        }
        #expect(ids(line, slab) == [3, 1, 4, 2, 5])
        line.remove(3, in: &slab)
        line.remove(5, in: &slab)
        line.remove(4, in: &slab)
        #expect(ids(line, slab) == [1, 2])
        #expect(line.count == 2)
    }

    @Test("a job's record stays within 104 bytes")
    func size() {
        #expect(MemoryLayout<JobRecord>.stride <= 104)
    }

    @Test("chunks of a slab are given back and ids may start anywhere")
    func slab() {
        var slab = JobSlab()
        for id in UInt64(1_000_000)..<1_050_000 {
            slab.insert(JobRecord(id: id))
        }
        #expect(slab.contains(1_000_000) && slab.contains(1_049_999) && !slab.contains(999_999) && !slab.contains(1_050_000))
        for id in UInt64(1_000_000)..<1_049_990 { slab.remove(id) }
        #expect(slab.count == 10)
        #expect(slab.contains(1_049_995) && !slab.contains(1_000_000) && !slab.contains(0))
    }

    private func ids(_ line: JobLine, _ slab: JobSlab) -> [UInt64] {
        var found: [UInt64] = []
        var job = line.first
        while job != 0 {
            found.append(job)
            job = slab[job].next
        }
        return found
    }
}
