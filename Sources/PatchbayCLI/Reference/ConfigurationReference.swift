public import Patchbay
import PatchbayCore

/// Every key of every plugin with its default, as a commented configuration; Configs/reference.conf is this text.
public struct ConfigurationReference {
    private let plugins: PluginSet

    public init(_ plugins: PluginSet) { self.plugins = plugins }

    public var text: String {
        var lines = [
            "# Every key there is, with its default. Written by `make pages`; a test keeps it true.",
            "# A value may stand in \"quotes\"; paths may hold ~ and ${NAME}, and count from this file's folder.",
            "# The variable PATCHBAY_STORAGE_PATH sets storage.path, and so on; options of the command win over both.",
        ]
        for kind in plugins.kinds {
            let descriptions = plugins.descriptions.filter { $0.kind == kind.name }
            guard kind.isChoice else {
                lines += ["", "# --- \(kind.name)"]
                lines += kind.options.flatMap(\.options).flatMap { option(kind.name, $0) }
                continue
            }
            let names = descriptions.map(\.name).joined(separator: " | ")
            lines += ["", "# \(names)", "\(kind.name) = \(kind.defaultPlugin)"]
            if kind.takesSeveral {
                lines += [
                    "# Several are a list, \(kind.name) = github work, where \(kind.name).work = github says "
                        + "what a word of your",
                    "# own means. The options of each then carry its name: \(kind.name).work.base-url.",
                ]
            }
            lines += kind.common.flatMap { option(kind.name, $0) }
            for plugin in descriptions {
                lines += ["", "# --- \(kind.name) = \(plugin.name): \(plugin.summary)"]
                lines += plugin.options.flatMap { option(kind.name, $0) }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func option(_ kind: String, _ option: PluginOption) -> [String] {
        let value = option.defaultValue.map { " " + $0 } ?? ""
        return ["# \(option.help) (\(option.type.word))", "#\(kind).\(option.key) =\(value)"]
    }
}
