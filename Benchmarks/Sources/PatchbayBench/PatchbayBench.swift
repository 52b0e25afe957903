import Glibc

/// Runs workloads on one storage and prints one line of JSON per workload; `run.py` also runs a bare engine for each.
@main
struct PatchbayBench {
    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            // Detached from the main thread, like most work of a program.
            try await Task.detached { try await run(options) }.value
        } catch {
            Console.error("patchbay-bench: \(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        let bench = try Bench(options)
        for workload in options.workloads {
            let meter = ProcessUsage.now()
            let result = try await bench.run(workload)
            Console.line(result.json(workload, options, since: meter))
        }
        try await bench.close()
    }
}
