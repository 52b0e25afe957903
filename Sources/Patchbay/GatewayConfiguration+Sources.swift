public import PatchbayCore
package import PatchbayDomain

extension GatewayConfiguration {
    /// The sources that the configuration lists, in their order; at least one.
    ///
    ///     source = github work
    ///     source.work = github
    ///     source.work.base-url = https://github.example.org/api/v3
    public var sources: [EffectiveConfiguration.Choice] { configuration.choices("source") }

    /// The configuration with one of its sources. The storage is that of all.
    ///
    /// - Throws: `invalidConfiguration` when no source has the name.
    public func choosing(_ name: String) throws -> GatewayConfiguration {
        let names = sources.map(\.name)
        guard names.contains(name) else {
            throw PatchbayError(
                .invalidConfiguration,
                "the configuration has no source \"\(name)\"\(EditDistance.suggestion(for: name, in: names)); it has "
                    + names.joined(separator: ", "))
        }
        if names.count == 1 { return self }
        return try GatewayConfiguration(
            self, layers + [ConfigurationLayer([("source", ConfigurationValue(name, .code))])])
    }

    /// The only source.
    ///
    /// - Throws: `invalidConfiguration` when there are several.
    public func onlySource() throws -> EffectiveConfiguration.Choice {
        if sources.count == 1 { return sources[0] }
        throw PatchbayError(
            .invalidConfiguration,
            "the configuration has several sources (\(sources.map(\.name).joined(separator: ", "))), and this takes "
                + "one; choose it", ["at": sources[0].origin.description])
    }

    /// Opens the plugin of a source, which then knows its resources and asks nothing. Its collections begin with
    /// `source.as`, else with the source's own name where it has one, else with the word of its API.
    func configured(
        _ source: EffectiveConfiguration.Choice, _ settings: Settings
    ) async throws -> ConfiguredSource {
        let configured = try await plugins.sources.plugin(named: source.plugin).open(settings)
        let own = source.hasOwnName ? source.name.replacing("-", with: "_") : nil
        return (settings.text("as") ?? own).map(configured.renamed) ?? configured
    }

    /// The sources with what they may have; no secret is read. Of a source that may have the resources of several APIs,
    /// such as a recording, each counts as a candidate unless there are other sources: then only the first.
    ///
    /// - Throws: `invalidConfiguration` when a source cannot be configured, or two have one word.
    package func declaredSources() async throws -> [(
        source: EffectiveConfiguration.Choice, resources: [SourceResources]
    )] {
        var declared: [(source: EffectiveConfiguration.Choice, resources: [SourceResources])] = []
        for source in sources {
            let resources = try await configured(source, settings(source.key, readsSecrets: false)).resources
            let known = sources.count == 1 ? resources : Array(resources.prefix(1))
            if let word = known.first?.word,
                let other = declared.first(where: { $0.resources.first?.word == word })
            {
                throw clash(source, other.source, word)
            }
            declared.append((source, known))
        }
        return declared
    }

    private func clash(
        _ source: EffectiveConfiguration.Choice, _ other: EffectiveConfiguration.Choice, _ word: String
    ) -> PatchbayError {
        let set = configuration.entries.first { $0.key == source.key + ".as" }?.value.origin
        return PatchbayError(
            .invalidConfiguration,
            "the sources \"\(other.name)\" and \"\(source.name)\" would both keep their rows under the word "
                + "\"\(word)\"; set \(source.key).as to another word",
            ["at": (set ?? source.origin).description])
    }
}
