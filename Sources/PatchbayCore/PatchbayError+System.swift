package import PatchbaySystem

extension FileSystem {
    /// Creates a folder and its parents, accessible only to the user (XDG Base Directory Specification 0.8).
    package static func makeFolders(_ path: String) throws {
        var made = ""
        for name in path.split(separator: "/") {
            made += "/" + name
            do throws(SystemError) {
                try makeFolder(made)
            } catch  where error.isTaken {
                continue
            } catch {
                throw PatchbayError(
                    .init(systemError: error.number), "cannot create the folder \"\(made)\": \(error.words)")
            }
        }
    }
}

extension PatchbayError {
    /// Runs a call, and throws its failure as ``system(_:_:_:)``.
    ///
    /// - Parameter problem: what could not be done, and to what.
    package static func reporting<Result>(
        _ problem: @autoclosure () -> String, details: @autoclosure () -> [Detail] = [],
        _ call: () throws(SystemError) -> Result
    ) throws(PatchbayError) -> Result {
        do throws(SystemError) {
            return try call()
        } catch {
            throw system(error.number, problem(), details())
        }
    }
}
