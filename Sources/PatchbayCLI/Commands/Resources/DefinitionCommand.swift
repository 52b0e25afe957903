import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDrafts
import PatchbaySystem
import PatchbayTerminal

/// `patchbay definition`: works with the files that describe APIs.
struct DefinitionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "definition",
        abstract: "Check an API definition, print a bundled one, or draft one from sample answers.",
        subcommands: [Check.self, Show.self, Draft.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check a definition and report all faults.")

        @Argument(help: "The file, or the name of a bundled definition.", completion: .file())
        var definition: String

        func run() throws {
            let bundled = CommandLineTool.plugins.definitions.first { $0.name == definition }
            let bytes = try bundled.map { Array($0.text.utf8) } ?? Self.bytes(of: definition)
            let (read, faults) = Definition.reading(path: definition, bytes: bytes)
            for fault in faults { Message.write("patchbay: " + fault.oneLine) }
            guard let read, faults.isEmpty else { throw ExitStatus.invalidConfiguration }
            for (key, doubt) in read.doubts { Message.write("warning: \(key): \(doubt) (\(definition))") }
            let fields = read.resources.reduce(0) { $0 + $1.fields.count }
            let resources = Count.words(read.resources.count, "resource")
            try StandardStream.output.write("\(resources), \(Count.words(fields, "field")): fine\n")
        }

        /// Reads a file, at most one byte more than a definition may have.
        private static func bytes(of path: String) throws -> [UInt8] {
            do {
                return try InputFile(path).readAll(bytesMax: ConfigurationFile.bytesMax + 1)
            } catch let error as PatchbayError where error.code == .notFound {
                let names = CommandLineTool.plugins.definitions.map(\.name)
                throw PatchbayError(
                    .notFound,
                    "\"\(path)\" is neither a file nor a bundled definition"
                        + "\(EditDistance.suggestion(for: path, in: names)); known: "
                        + names.joined(separator: ", "))
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Print the text of a bundled definition.",
            discussion: "You can save it, edit it and use it as the definition of a source.")

        @Argument(
            help: "The definition's name; all names are listed when left out.",
            completion: .list(CommandLineTool.plugins.definitions.map(\.name)))
        var name: String?

        func run() throws {
            let bundled = CommandLineTool.plugins.definitions
            guard let name else {
                return try StandardStream.output.write(bundled.map { $0.name + "\n" }.joined())
            }
            guard let definition = bundled.first(where: { $0.name == name }) else {
                throw PatchbayError(
                    .notFound, EditDistance.unknown("definition", name, in: bundled.map(\.name)))
            }
            try StandardStream.output.write(definition.text)
        }
    }
}

extension DefinitionCommand {
    struct Draft: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "draft", abstract: "Draft a definition from sample answers, for you to edit.",
            discussion: """
                The sample is an address to request, a JSON file with an answer, a recording (HAR), or a description \
                of the API in JSON or YAML (OpenAPI 3, Swagger 2, a declarative connector of Airbyte). More answers \
                make the draft more reliable: two pages of a list show how pages are linked, and the answer for a \
                single row shows its details. Comments explain what was chosen and why. Nothing is stored, and no \
                secrets are written.

                  patchbay definition draft https://api.example.org/v1/books > books.conf
                  patchbay definition draft answer.json --rows data/items
                  patchbay definition draft recording.har --output books.conf

                An address is requested through the configured networking. source.token is sent only if the address is \
                at source.base-url.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var requests: RequestOptions

        @Option(
            help: ArgumentHelp(
                "The path of the rows in an answer, such as data/items; . is the whole answer.",
                valueName: "path"))
        var rows: String?

        @Option(
            help: ArgumentHelp(
                "Draft only these lists and those to whose rows they belong, separated by commas.",
                valueName: "lists"))
        var only: String?

        @Option(
            help: ArgumentHelp(
                "How to send source.token to an address, written as in a definition; bearer when not set.",
                valueName: "auth"))
        var auth: String?

        @Option(help: ArgumentHelp("Write to this new file.", valueName: "file"), completion: .file())
        var output: String?

        @Argument(
            help:
                "An address, a JSON or YAML file, a HAR file or a folder of HAR files; - is standard input.",
            completion: .file())
        var sample: String

        func run() async throws {
            let rows = try path
            let authorization = try Definition.Authorization(described: auth ?? "bearer")
            guard auth == nil || sample.contains("://") else {
                throw ValidationError(
                    "--auth applies only to an address that is requested; correct auth in the draft instead")
            }
            let output = try OutputFile(output)
            let draft = try await draft(authorization, rows: rows)
            try output.stream.write(draft.text)
            try output.finish()
            for line in draft.sentences { Message.note(line) }
            guard let first = draft.first else { return }
            Message.note(
                "try first: patchbay list \(first.name) --source rest --set source.definition=\(self.output ?? "FILE")"
                    + (first.isDirect ? "" : ", with the handle of a parent or the argument"))
        }

        private func draft(_ authorization: Definition.Authorization, rows: JSONPath?) async throws
            -> DefinitionDraft
        {
            let only = only?.split(separator: ",").map(String.init) ?? []
            let text = try isFile ? fileText() : nil
            if let text,
                let draft = try DefinitionDraft.manifest(
                    in: text, only: only, name: name, source: shownSample, reading: read)
            {
                guard rows == nil else {
                    throw ValidationError(
                        "--rows applies to answers and descriptions; a connector states where its rows are")
                }
                return draft
            }
            let samples = try await samples(authorization, text)
            do {
                return try DefinitionDraft(samples, rows: rows, only: only, name: name, source: shownSample)
            } catch let error as PatchbayError where rows == nil && only.isEmpty {
                throw error.naming("--rows")
            }
        }

        private var path: JSONPath? {
            get throws {
                guard let rows else { return nil }
                if let path = JSONPath(rows) { return path }
                throw ValidationError(
                    "--rows \"\(rows)\" is not a path; separate member names with slashes")
            }
        }

        /// Whether the sample is a file with an answer or a description.
        private var isFile: Bool {
            !sample.contains("://") && !sample.lowercased().hasSuffix(".har")
                && !FileSystem.exists(at: sample)
        }

        private func fileText() throws -> [UInt8] {
            let file = try InputFile(sample)
            let text = try file.readAll(bytesMax: Self.bytesMax + 1)
            guard text.count <= Self.bytesMax else {
                throw PatchbayError(
                    .invalidValue,
                    "\"\(file.name)\" has more than \(Self.bytesMax >> 20) MiB; a page of a list is enough")
            }
            return text
        }

        private func samples(
            _ authorization: Definition.Authorization, _ text: [UInt8]?
        ) async throws -> [DraftSample] {
            if sample.contains("://") {
                let report = try requests.report()
                return try await options.load().samples(
                    at: sample, authorization: authorization, report: report)
            }
            guard let text, !DraftSample.isRecording(text) else {
                return try DraftSample.recorded(in: sample)
            }
            let name = sample == "-" ? "standard input" : sample
            return try DraftSample.all(in: text, name: "\"\(name)\"", reading: read)
        }

        /// Reads a file to which a description refers; nil for one that is missing or outside the description's folder,
        /// and for a pipe, which might never end.
        private func read(_ path: String) throws -> [UInt8]? {
            let folder = FileSystem.resolvedIfThere(sample).split(separator: "/").dropLast().map { "/" + $0 }
                .joined()
            let target = FileSystem.resolvedIfThere(folder + "/" + path)
            guard sample != "-", target.hasPrefix(folder + "/"), FileStatus(at: target)?.kind == .file
            else { return nil }
            return try InputFile(target).readAll(bytesMax: Self.bytesMax)
        }

        private static let bytesMax = 64 << 20

        /// The name of the sample in messages and in the draft.
        private var shownSample: String {
            sample == "-" ? "standard input" : SecretNames.cleaned(address: sample)
        }

        /// The file's name up to its first dot.
        private var name: String {
            let file = sample.split(separator: "/").last ?? "rows"
            return sample == "-" ? "rows" : String(file.prefix { $0 != "." && $0 != "?" })
        }
    }
}
