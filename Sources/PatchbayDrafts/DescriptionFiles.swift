import PatchbayCore
import PatchbayJSON

/// The files to which a description refers, below the folder of its own file.
struct DescriptionFiles {
    /// Reads a file by its path relative to the folder; nil for one that does not exist or is outside the folder.
    typealias Reading = (_ path: String) throws -> [UInt8]?

    /// The contents by path, in which all references are relative to the folder: `schemas/pet.yaml#/Pet`.
    private(set) var trees: [String: JSONValue] = [:]
    /// The files and addresses that were not read.
    private(set) var unread: [String] = []
    /// The files that are neither JSON nor YAML, such as samples of code, with the reason.
    private(set) var unreadable: [(path: String, reason: String)] = []
    private var waiting: [String] = []
    private var known: Set<String> = []
    private var bytesLeft = Self.bytesMax

    static let bytesMax = 64 << 20
    private static let filesMax = 10_000

    /// - Parameter root: the description, whose references become relative to the folder.
    /// - Throws: `invalidValue` for too many files, and the errors of reading one.
    init(of root: inout JSONValue, reading: Reading) throws {
        root = rewritten(root, in: "")
        while let path = waiting.popLast() {
            guard trees.count < Self.filesMax, bytesLeft > 0 else {
                throw PatchbayError(
                    .invalidValue,
                    "the description refers to more than \(Self.filesMax) files or \(Self.bytesMax >> 20) MiB"
                )
            }
            guard let text = try reading(path) else {
                unread.append(path)
                continue
            }
            bytesLeft -= text.count
            do throws(PatchbayError) {
                trees[path] = rewritten(try JSONValue(jsonOrYAML: text, name: "\"\(path)\""), in: path)
            } catch {
                unreadable.append((path, error.message))
            }
        }
    }

    /// The value with the references of one file relative to the folder, which are noted for reading.
    ///
    /// - Parameter file: the path of the file; empty for the description itself.
    private mutating func rewritten(_ value: JSONValue, in file: String) -> JSONValue {
        switch value {
        case .array(let elements):
            return .array(elements.map { rewritten($0, in: file) })
        case .object(let members):
            return .object(
                members.map { name, value in
                    guard name == "$ref", case .text(let reference) = value else {
                        return (name, rewritten(value, in: file))
                    }
                    return (name, .text(noted(reference, in: file)))
                })
        default: return value
        }
    }

    private mutating func noted(_ reference: String, in file: String) -> String {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let pointer = parts.count > 1 ? "#" + parts[1] : ""
        guard !parts[0].isEmpty else { return file + pointer }
        guard let path = path(PercentEncoding.decoded(parts[0]), from: file) else {
            if known.insert(String(parts[0])).inserted { unread.append(String(parts[0])) }
            return "//unread"
        }
        if known.insert(path).inserted { waiting.append(path) }
        return path + pointer
    }

    /// A path relative to the folder; nil for one that leaves it, and for an address.
    private func path(_ reference: String, from file: String) -> String? {
        guard !reference.hasPrefix("/"), !reference.contains(":"), !reference.contains("\\") else {
            return nil
        }
        var steps = file.split(separator: "/").dropLast().map(String.init)
        for step in reference.split(separator: "/") where step != "." {
            if step != ".." {
                steps.append(String(step))
            } else if steps.popLast() == nil {
                return nil
            }
        }
        return steps.isEmpty ? nil : steps.joined(separator: "/")
    }
}
