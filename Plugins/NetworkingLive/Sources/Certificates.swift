#if Live
import NIOSSL
import PatchbayCore
import PatchbaySystem

/// The list of certificate authorities that the system trusts, where NIOSSL looks for it.
enum SystemAuthorities {
    /// Whether there is one. Debian has it in the package ca-certificates, which its smallest system lacks; NIOSSL then
    /// refuses to verify anything, also with certificates of `networking.ca-file`.
    static let exist: Bool = {
        #if os(Linux)
        let files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
        return files.contains { FileStatus(at: $0)?.kind == .file }
            || FileSystem.names(in: "/etc/ssl/certs")?.isEmpty == false
        #else
        return true
        #endif
    }()

    /// What to do about a certificate whose issuer is not trusted.
    static func advice(whenTheyExist exist: Bool = exist) -> String {
        exist
            ? "has a certificate that is not trusted: its issuer is unknown or it has expired; "
                + "add its issuer to networking.ca-file"
            : "has a certificate that cannot be verified, because this system has no list of trusted authorities; "
                + "install the package ca-certificates, or set networking.ca-file"
    }
}

/// Reads certificates that are trusted in addition to the system's.
enum CertificateFile {
    /// - Throws: `invalidConfiguration` when the file is missing, unreadable or empty.
    static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw PatchbayError(
                .invalidConfiguration,
                "networking.ca-file: \"\(path)\" is not a readable PEM file of certificates")
        }
        guard !certificates.isEmpty else {
            throw PatchbayError(.invalidConfiguration, "networking.ca-file: \"\(path)\" has no certificates")
        }
        return certificates
    }
}
#endif
