//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

extension FrontState {
    /// Counts a use of the terms of jobs in; their index.
    mutating func addTerms(_ terms: JobTerms) -> Int { jobTerms.add(terms, byteCount: terms.byteCount) }

    /// What a job has in common with others.
    func terms(of job: JobRecord) -> JobTerms { jobTerms[Int(job.terms)] }
}

/// For whoever checks the machine from outside: nothing here is used while serving.
extension FrontMachine {
    /// How a job is run; nil: it is not known.
    package func options(of job: JobID) -> JobOptions? {
        state.jobs.contains(job.rawValue) ? state.terms(of: state.jobs[job.rawValue]).options : nil
    }

    /// What differs between the terms of jobs as they are counted entry by entry and as they are counted anew; nil: nothing. Those that are
    /// counted too often are never forgotten, and those that are counted too seldom become those of another job.
    package var termsMiscount: String? {
        var counted: [UInt32: Int] = [:]
        state.jobs.visit(below: nil) { job in
            counted[job.terms, default: 0] += 1
            return true
        }
        for index in state.jobTerms.indices.dropFirst() {
            let (noted, found) = (state.jobTerms.uses(at: index), counted[UInt32(index)] ?? 0)
            if noted != found { return "\(noted) jobs are noted to have the terms \(state.jobTerms[index]), \(found) have" }
        }
        let byteCount = state.jobTerms.indices.dropFirst().reduce(0) { sum, index in
            sum + (state.jobTerms.uses(at: index) == 0 ? 0 : state.jobTerms[index].byteCount + RoughSize.name)
        }
        return byteCount == state.jobTerms.byteCount ? nil : "terms have \(state.jobTerms.byteCount) bytes, counted \(byteCount)"
    }
}
