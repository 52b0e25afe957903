import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain

extension DefinitionCommand {
    struct Draft: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a definition from sample answers, for you to edit.",
            discussion: """
                The sample is an address to request, a JSON file with an answer, a recording (HAR), or a document of \
                OpenAPI 3. The more answers there are, the more is certain: two pages of a list show how pages follow \
                each other, and a row's own address beside the list shows its details. Comments say what was chosen \
                and why. Nothing is stored, and no secret is written.

                  patchbay definition draft https://api.example.org/v1/books > books.conf
                  patchbay definition draft answer.json --rows data/items
                  patchbay definition draft recording.har --output books.conf

                An address is requested through the configured network. A token is sent if it is source.token and the \
                address is at source.base-url.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var requests: RequestOptions

        @Option(
            help: ArgumentHelp(
                "Where the rows are in an answer, such as data/items; . is the whole answer.",
                valueName: "path"))
        var rows: String?

        @Option(
            help: ArgumentHelp(
                "How source.token is sent to an address, as a definition says it.", valueName: "auth"))
        var auth = "bearer"

        @Option(help: ArgumentHelp("Write to this new file.", valueName: "file"), completion: .file())
        var output: String?

        @Argument(help: "An address, a JSON file, a HAR file or a folder with some; - is standard input.")
        var sample: String

        func run() async throws {
            let rows = try path
            let authorization = try Definition.Authorization(described: auth)
            let output = try OutputFile(output)
            let samples = try await samples(authorization)
            let draft = try DefinitionDraft(samples, rows: rows, name: name, source: shownSample)
            try output.stream.write(draft.text)
            try output.finish()
        }

        private var path: JSONPath? {
            get throws {
                guard let rows else { return nil }
                if let path = JSONPath(rows) { return path }
                throw ValidationError(
                    "--rows \"\(rows)\" is not a path; write member names with slashes between them")
            }
        }

        private func samples(_ authorization: Definition.Authorization) async throws -> [DraftSample] {
            if sample.contains("://") {
                let report = try requests.report()
                return try await options.load().samples(
                    at: sample, authorization: authorization, report: report)
            }
            if sample.hasSuffix(".har") || POSIX.isFolder(sample) {
                return try DraftSample.recorded(in: sample)
            }
            let file = try InputFile(sample)
            let text = try file.readAll(bytesMax: Self.bytesMax + 1)
            guard text.count <= Self.bytesMax else {
                throw PatchbayError(
                    .invalidValue,
                    "\"\(file.name)\" has more than \(Self.bytesMax >> 20) MiB; a page of a list is enough")
            }
            if DraftSample.isRecording(text) { return try DraftSample.recorded(in: sample) }
            return try DraftSample.all(in: text, name: "\"\(file.name)\"")
        }

        private static let bytesMax = 64 << 20

        /// What messages and the draft call the sample.
        private var shownSample: String {
            sample == "-" ? "standard input" : SecretNames.cleaned(address: sample)
        }

        /// The file's name without what follows its dot.
        private var name: String {
            let file = sample.split(separator: "/").last ?? "rows"
            return sample == "-" ? "rows" : String(file.prefix { $0 != "." && $0 != "?" })
        }
    }
}
