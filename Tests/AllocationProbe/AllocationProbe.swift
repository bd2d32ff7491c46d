//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Prints how often the front asks for memory for each job in steady state: `AllocationProbe JOBS-PER-SUBMIT ROUNDS`.
@main
enum AllocationProbe {
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else { return print("usage: AllocationProbe JOBS-PER-SUBMIT ROUNDS") }
        let front = try ProbeFront()
        // Tables and buffers find their size.
        for _ in 0..<50 { try front.run(numbers[0]) }
        let before = front.allocations
        for _ in 0..<numbers[1] { try front.run(numbers[0]) }
        print(Double(front.allocations - before) / Double(numbers[0] * numbers[1]))
    }
}
