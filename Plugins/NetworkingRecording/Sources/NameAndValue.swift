import PatchbayJSON

/// A `{"name": ..., "value": ...}` of HAR: a header or a parameter.
struct NameAndValue {
    var name = ""
    var value = ""

    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "name" {
                name = try reader.readString()
            } else if key == "value" {
                value = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
    }
}
