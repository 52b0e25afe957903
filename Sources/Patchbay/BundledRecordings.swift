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

    /// The path of the running program.
    static func executable() -> String? { FileSystem.linkTarget("/proc/self/exe") }
}
