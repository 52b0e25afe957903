extension StringProtocol {
    /// The text without white space (Unicode's property) at both ends.
    package var trimmed: String {
        var scalars = unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(self[scalars.startIndex..<scalars.endIndex])
    }
}

extension String {
    /// As much of the text as fits into `bytesMax` bytes, in whole Unicode scalars, for use in an index.
    package func beginning(bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var beginning = String.UnicodeScalarView(), bytes = 0
        for scalar in unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > bytesMax { break }
            beginning.append(scalar)
        }
        return String(beginning)
    }
}
