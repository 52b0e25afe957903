import Glibc

/// Runs workloads on one storage and prints one line of JSON for each; `run.py` calls it beside a bare engine.
@main
struct PatchbayBench {
    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            // Off the main thread, where a program's work runs.
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
