import PatchbayCore
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit

extension Gateway {
    /// A gateway with its rows in memory, whose source is a definition over the network of a test.
    ///
    /// - Parameters:
    ///   - values: further keys of the configuration.
    ///   - environment: variables besides `HOME`.
    static func scripted(
        _ definition: String, over network: ScriptedNetworking, _ values: [String: String] = [:],
        environment: [String: String] = [:]
    ) async throws -> Gateway {
        let folder = try TemporaryDirectory()
        let path = try folder.write(definition, to: "x.conf")
        let gateway = try await scripted(
            over: network, values.merging(["source.definition": path]) { $1 },
            environment: environment.merging(["HOME": folder.path]) { $1 })
        withExtendedLifetime(folder) {}
        return gateway
    }

    /// The same for a definition that the configuration names.
    static func scripted(
        over network: ScriptedNetworking, _ values: [String: String],
        environment: [String: String] = ["HOME": "/"]
    ) async throws -> Gateway {
        let networking = Plugin<any Networking>("scripted", "answers of a test") { _ in network }
        let plugins = PluginSet(
            storages: [.memory], sources: PluginSet.builtIn.sources.plugins, networkings: [networking])
        let flags = values.merging(["source": "rest"]) { given, _ in given }
            .map { GatewayConfiguration.Flag($0, $1, name: "test") }
        return try await Gateway(
            configuration: GatewayConfiguration(plugins: plugins, flags: flags, environment: environment))
    }
}
