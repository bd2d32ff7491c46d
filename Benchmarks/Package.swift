// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "gantry", path: "..")],
    targets: [
        .executableTarget(name: "LoadingBenchmark", dependencies: [.product(name: "Loading", package: "gantry")])
    ]
)
