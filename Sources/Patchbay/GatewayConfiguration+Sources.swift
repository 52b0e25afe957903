package import PatchbayCore
package import PatchbayDomain

extension GatewayConfiguration {
    /// The sources that the configuration lists, in order; at least one.
    ///
    ///     source = github work
    ///     source.work = github
    ///     source.work.base-url = https://github.example.org/api/v3
    package var sources: [EffectiveConfiguration.Choice] { configuration.choices("source") }

    /// The configuration reduced to one of its sources. The storage is the shared one.
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
    package func onlySource() throws -> EffectiveConfiguration.Choice {
        if sources.count == 1 { return sources[0] }
        throw PatchbayError(
            .invalidConfiguration,
            "the configuration has several sources (\(sources.map(\.name).joined(separator: ", "))); choose one",
            [.at(sources[0].origin)])
    }

    /// Opens the plugin of a source, which then knows its resources but sends no requests. The prefix of its
    /// collections is `source.as`, otherwise the source's own name if it has one, otherwise the word of its API.
    func configured(
        _ source: EffectiveConfiguration.Choice, _ settings: Settings
    ) async throws -> ConfiguredSource {
        let configured = try await plugins.sources.plugin(named: source.plugin).open(settings)
        let own = source.hasOwnName ? source.name.withUnderscores : nil
        return (settings.text("as") ?? own).map(configured.renamed) ?? configured
    }

    /// The sources with the resources that they may have; no secret is read. If a source may have the resources of
    /// several APIs, such as a recording, each is a candidate; when there are other sources, only the first is.
    ///
    /// - Throws: `invalidConfiguration` when a source cannot be configured, or two have the same word.
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

    /// The faults for which sources could not be opened and that are known without a network, such as a missing
    /// recording.
    package func sourceFaults() async -> [PatchbayError] {
        var faults: [PatchbayError] = []
        for source in sources {
            do {
                try await configured(source, settings(source.key, readsSecrets: false)).check()
            } catch {
                faults += [error as? PatchbayError].compactMap(\.self)
            }
        }
        return faults
    }

    /// All faults of the definitions that the sources' options name.
    package func definitionFaults() -> [PatchbayError] { sources.flatMap { definitionFaults(of: $0) } }

    private func definitionFaults(of source: EffectiveConfiguration.Choice) -> [PatchbayError] {
        let key = "\(source.key).\(DefinitionOption.key)"
        // A file that cannot be read is reported by `declaredSources()`.
        guard let entry = configuration.entries.first(where: { $0.key == key }),
            entry.type.isPath(entry.value.text), let path = try? path(entry),
            let bytes = try? FileReading.bytes(of: path, bytesMax: ConfigurationFile.bytesMax, .readable)
        else { return [] }
        return Definition.reading(path: path, bytes: bytes).faults
    }

    private func clash(
        _ source: EffectiveConfiguration.Choice, _ other: EffectiveConfiguration.Choice, _ word: String
    ) -> PatchbayError {
        let set = configuration.entries.first { $0.key == source.key + ".as" }?.value.origin
        return PatchbayError(
            .invalidConfiguration,
            "the sources \"\(other.name)\" and \"\(source.name)\" would both store their rows under the word "
                + "\"\(word)\"; set \(source.key).as to another word",
            [.at(set ?? source.origin)])
    }
}
