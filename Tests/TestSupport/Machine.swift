public import Testing

#if Live
private let hasNetworkClient = true
#else
private let hasNetworkClient = false
#endif

extension Trait where Self == ConditionTrait {
    /// Reports the test as skipped in a build without the package's trait `Live`.
    public static var needsNetworkClient: Self {
        .enabled(if: hasNetworkClient, "needs a build with the trait Live")
    }

    /// Reports the test as skipped on a machine without these programs.
    public static func needs(_ programs: String...) -> Self {
        .enabled("needs \(programs.joined(separator: ", "))") {
            try programs.allSatisfy { try Shell.has($0) }
        }
    }

    /// Reports the test as skipped when file systems cannot be mounted.
    public static var needsMounting: Self {
        .enabled("needs permission to mount file systems") {
            try Shell.output(
                of: "folder=$(mktemp -d) && mount -t tmpfs tmpfs $folder 2>/dev/null && umount $folder "
                    + "&& echo mounted; rmdir $folder"
            ).contains("mounted")
        }
    }
}
