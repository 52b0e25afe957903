import Patchbay

/// The manual page patchbay.conf(5): the format of the file, and every key of every plugin.
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
            let use = "The \(kind.name) to use. Default: \(kind.defaultPlugin)."
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
        A list of words selects several: source = github work. Each word is a plugin, or your own name for one, as in \
        source.work = github. The keys of each source's options then contain its name, as in source.work.token, and so \
        do environment variables: PATCHBAY_SOURCE_WORK_TOKEN.
        """

    private static let description = """
        UTF-8 text of at most \(ConfigurationFile.bytesMax >> 20) MiB with one key = value per line:

          # where users are kept
          storage = lmdb
          storage.path = ~/users.lmdb     # a comment may follow

        A value in "quotes" may contain # and the escapes \\" \\\\ \\n \\t. A path may start with ~ and contain ${NAME};
        a relative path starts at the folder of the file. The file never contains a secret itself; env:NAME, file:PATH
        or command:PROGRAM ARGUMENTS states where to read it.

        Command-line options override the environment (PATCHBAY_STORAGE_PATH sets storage.path), which overrides the
        file, which overrides the defaults. A file in the working directory that sets secrets, texts such as
        addresses, networking options or paths outside its folder is refused until you consent to it with patchbay
        config trust. patchbay config show prints the effective values and where each was set; patchbay config check
        reports all faults.
        """
}
