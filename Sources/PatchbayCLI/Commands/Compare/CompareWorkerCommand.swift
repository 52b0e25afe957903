import ArgumentParser
import Patchbay
import PatchbayCompare

/// `patchbay compare-worker`: the child process in which ``CompareCommand`` measures one storage.
struct CompareWorkerCommand: AsyncParsableCommand {
    static let name = "compare-worker"

    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Measure a storage for \"patchbay compare\".", shouldDisplay: false)

    func run() async throws {
        try await CompareWorker.run(
            ComparePlugins(
                storages: CommandLineTool.plugins.storages, engines: CommandLineTool.engines,
                resources: CompareRows.resources, replay: CompareRows.replay))
    }
}
