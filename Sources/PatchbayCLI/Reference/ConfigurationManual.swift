import Patchbay
import PatchbayCore

/// The manual page patchbay.conf(5): the file's form, and every key of every plugin.
struct ConfigurationManual {
    private let plugins: PluginSet
    private let build: Build

    init(_ plugins: PluginSet, build: Build) {
        self.plugins = plugins
        self.build = build
    }

    var text: String {
        var page = ManualText("patchbay.conf", section: 5, build: build)
        page.section("NAME")
        page.line("patchbay.conf \\- configuration of patchbay")
        page.section("DESCRIPTION")
        page.paragraphs(ConfigurationManual.description)
        for kind in plugins.kinds {
            page.section(kind.name.uppercased())
            let use = "Which \(kind.name) is used. Default: \(kind.defaultPlugin)."
            page.definition(
                ManualText.bold(kind.name), use + (kind.takesSeveral ? " " + ConfigurationManual.several : "")
            )
            for option in kind.common { page.definition(key(kind.name, option), words(option)) }
            for plugin in plugins.descriptions where plugin.kind == kind.name {
                page.subsection("\(kind.name) = \(plugin.name)")
                page.paragraphs(plugin.summary)
                for option in plugin.options {
                    page.definition(key(kind.name, option), words(option))
                }
            }
        }
        page.section("SEE ALSO")
        page.line(".BR patchbay (1)")
        return page.text
    }

    private func key(_ kind: String, _ option: PluginOption) -> String {
        ManualText.bold("\(kind).\(option.key)")
    }

    private func words(_ option: PluginOption) -> String {
        let value = option.defaultValue.map { " Default: \($0)." } ?? ""
        return "\(option.help) (\(option.type.word))\(value)"
    }

    private static let several = """
        A list of words names several: source = github work. Each word is a plugin, or a name of your own whose plugin \
        source.work = github says. The options of each then carry its name, as in source.work.token, and so do \
        variables: PATCHBAY_SOURCE_WORK_TOKEN.
        """

    private static let description = """
        UTF-8 text of at most \(ConfigurationFile.bytesMax >> 20) MiB with one key = value a line:

          # where users are kept
          storage = lmdb
          storage.path = ~/users.lmdb     # a comment may follow

        A value in "quotes" may hold # and the escapes \\" \\\\ \\n \\t. A path may start with ~ and hold ${NAME}; a
        relative one counts from the folder of the file. A secret never stands in the file: env:NAME, file:PATH or
        command:PROGRAM ARGUMENTS says where it is.

        Options of the command win over the environment (PATCHBAY_STORAGE_PATH sets storage.path), that over the
        file, that over the defaults. A file that is found in the working directory is refused while it sets secrets,
        texts such as addresses, anything of networking, or paths outside its folder, until patchbay config trust
        records your consent. What holds, and where it was set, tells patchbay config show; what is wrong
        with it, patchbay config check.
        """
}
