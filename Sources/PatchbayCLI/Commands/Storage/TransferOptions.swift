import ArgumentParser
import Patchbay

/// The options that select the rows of a file and its format.
struct TransferOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this collection; all when left out.", valueName: "name"))
    var collection: String?

    @Option(
        name: .format, help: "The file's format.", choices: TransferFormat.self,
        default: "csv for a file that ends in .csv, else jsonl")
    var format: TransferFormat?

    func format(for file: String?) -> TransferFormat {
        format ?? (file?.hasSuffix(".csv") == true ? .csv : .jsonl)
    }

    /// Returns the collection named by `--collection`; nil for all.
    func chosen(in schema: Schema) throws -> CollectionSchema? {
        guard let collection else { return nil }
        let known = schema.transferable.collections
        if let found = known.first(where: { $0.name == collection }) { return found }
        throw PatchbayError(
            .notFound, EditDistance.unknown("collection", collection, in: known.map(\.name)))
    }
}
