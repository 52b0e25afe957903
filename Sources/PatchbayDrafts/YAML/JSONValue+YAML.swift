import PatchbayCore
import PatchbayJSON

extension JSONValue {
    /// Reads a file as JSON or, if it does not look like JSON or is named so, as YAML.
    ///
    /// - Parameter name: the file in messages.
    /// - Throws: `invalidValue` for a text that is neither.
    init(jsonOrYAML text: [UInt8], name: String) throws(PatchbayError) {
        let jsonError: JSONError
        do throws(JSONError) {
            self = try JSONValue(Array(text.dropFirst(JSONPreamble.length(in: text))))
            return
        } catch {
            jsonError = error
        }
        let isNamed = [".yaml", ".yml"].contains { name.lowercased().replacing("\"", with: "").hasSuffix($0) }
        let first = text.first { !YAMLReader.isWhite($0) && !YAMLReader.isBreak($0) }
        let isLikeJSON = first.map { "{[\"<".utf8.contains($0) } ?? true
        if isNamed || !isLikeJSON {
            do throws(YAMLError) {
                let value = try YAMLReader.value(text)
                // Any text without a colon is a scalar of YAML.
                if value.isObject || isNamed || !value.elements.isEmpty {
                    self = value
                    return
                }
            } catch {
                throw PatchbayError(.invalidValue, "\(name) cannot be read as YAML: \(error)")
            }
        }
        throw PatchbayError(
            .invalidValue, "\(name) is not JSON: \(jsonError); save an answer of the API unchanged")
    }
}
