import ArgumentParser
import Patchbay
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
