import PatchbayCore
import PatchbaySystem

/// Finds the bundled recordings: next to the installed command, or in the checkout in which it was built.
enum BundledRecordings {
    /// The variable by which a configuration refers to them; a value in the environment takes precedence.
    static let variable = "PATCHBAY_RECORDINGS"

    /// `prefix/share/patchbay/recordings` for `prefix/bin/patchbay`, otherwise the nearest `Recordings` above the
    /// executable, or that of a checkout of Patchbay from which another package was built there.
    static func folder(executable: String) -> String? {
        var folder = FileSystem.parent(of: executable)
        let installed = FileSystem.parent(of: folder) + "/share/patchbay/recordings"
        if FileSystem.exists(at: installed) { return installed }
        while folder != "/", folder != "." {
            for place in ["/Recordings", "/checkouts/patchbay/Recordings"]
            where FileSystem.exists(at: folder + place) {
                return folder + place
            }
            folder = FileSystem.parent(of: folder)
        }
        return nil
    }

    /// Throws `invalidConfiguration` for a path among the recordings when they were not found.
    static func check(_ path: String, _ environment: [String: String]) throws(PatchbayError) {
        guard path.hasPrefix("${\(variable)}"), environment[variable, default: ""].isEmpty else { return }
        throw PatchbayError(
            .invalidConfiguration,
            "\"\(path)\": the recordings of Patchbay were not found near this program; choose a source, or set "
                + "\(variable) to their folder")
    }

    /// The path of the running program.
    static func executable() -> String? { FileSystem.linkTarget("/proc/self/exe") }
}
